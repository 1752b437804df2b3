import { isObject } from '#core/json/is-object.ts'
import { toStorableValue } from '#schemas/values/storable-text.ts'
import { isPlain } from '../manifest/plain-value.ts'

/** Result of a tool, as the server returned it: text for agents and models, never for a web page. */
export interface ToolResult {
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  /** The tool reports that it has failed. */
  readonly isError: boolean
}

// As deep as a body of the API may be, below the two levels of the result itself.
const MAX_DEPTH = 60

/**
 * Reads the result of a call. Undefined if it is larger than `maxBytes` as JSON, too deep, or not a result. Strings that cannot be stored are
 * sanitized: U+0000 and lone surrogates become U+FFFD (F5).
 */
export function readToolResult(result: unknown, maxBytes: number): ToolResult | undefined {
  if (!isObject(result) || !isPlain(result, MAX_DEPTH)) return undefined
  const { content = [], structuredContent, isError } = result
  if (!Array.isArray(content) || !content.every(isObject)) return undefined
  if (structuredContent !== undefined && !isObject(structuredContent)) return undefined
  const read = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
  }
  return Buffer.byteLength(JSON.stringify(read)) > maxBytes ? undefined : (toStorableValue(read) as ToolResult)
}

/** The result of a call that the server refused by an error of JSON-RPC, such as invalid arguments: the model can correct them. */
export function toRefusedResult(message: string): ToolResult {
  const text = message.slice(0, 1_000)
  return { content: [{ type: 'text', text: toStorableValue(text) }], isError: true }
}
