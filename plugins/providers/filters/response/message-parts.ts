import { isObject } from '#core/json/is-object.ts'
import { unreadableResponse } from './response-error.ts'

/** A JSON object of a response, changed in place. */
export type ResponsePart = Record<string, unknown>

/** Fields of a message or a delta that are not text of the model. */
const noText = new Set(['role', 'tool_calls', 'function_call', 'thinking_signature'])

/** Names of the fields with text: `content`, `refusal`, and fields of a provider such as `reasoning_content`. */
export function textFields(message: ResponsePart): readonly string[] {
  return Object.keys(message).filter((key) => !noText.has(key) && typeof message[key] === 'string')
}

/**
 * Removes fields of a choice that repeat text in another form (log probabilities, audio, annotations): text filters do not see them. `field` is the
 * key of the message in the choice. Returns whether something was removed. Throws for content that is not text.
 */
export function removeUnseen(choice: ResponsePart, message: ResponsePart, field: 'delta' | 'message'): boolean {
  if (isStructure(message.content)) throw unreadableResponse()
  const ofMessage = Object.keys(message).filter((key) => !noText.has(key) && isStructure(message[key]))
  const ofChoice = Object.keys(choice).filter(
    (key) =>
      key !== field && (isStructure(choice[key]) || (typeof choice[key] === 'string' && !key.endsWith('_reason'))),
  )
  for (const key of ofMessage) message[key] = null
  for (const key of ofChoice) choice[key] = null
  return ofMessage.length + ofChoice.length > 0
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** The message or delta of a choice. Throws if it is malformed. */
export function messageOf(choice: ResponsePart, field: 'delta' | 'message'): ResponsePart {
  const { [field]: message = null } = choice
  if (message === null) return {}
  if (!isObject(message)) throw unreadableResponse()
  return message as ResponsePart
}

/** The choices of a completion or of one of its frames. Throws for any other body that is not an error of the provider. */
export function choicesOf(body: unknown): readonly ResponsePart[] {
  if (!isObject(body)) throw unreadableResponse()
  const { choices } = body
  if (choices === undefined && isObject(body.error)) return []
  if (!Array.isArray(choices) || !choices.every(isObject)) throw unreadableResponse()
  return choices as ResponsePart[]
}

/** A tool call in a response, or a part of one in a stream. */
export interface CallPart {
  /** Identifies the call within its choice. */
  readonly key: string
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string
  /** Whether it calls a custom tool, whose input is any string. */
  readonly isCustom: boolean
  /** Writes name and arguments in place; undefined keeps the name. */
  write(name: string | undefined, text: string): void
}

/** The tool calls of a message or a delta, in every format of OpenAI's API. Throws for an unknown format. */
export function callParts(message: ResponsePart): readonly CallPart[] {
  const { tool_calls: calls = null, function_call: legacy = null } = message
  if (calls !== null && !Array.isArray(calls)) throw unreadableResponse()
  const parts = (calls ?? []).map((call: unknown, at: number) => {
    if (!isObject(call)) throw unreadableResponse()
    const inner = isObject(call.custom) ? call.custom : call.function
    const field = isObject(call.custom) ? 'input' : 'arguments'
    return toCallPart(inner, { key: String(call.index ?? at), id: call.id, field })
  })
  return legacy === null
    ? parts
    : [...parts, toCallPart(legacy, { key: 'function_call', id: undefined, field: 'arguments' })]
}

function toCallPart(
  inner: unknown,
  { key, id, field }: { readonly key: string; readonly id: unknown; readonly field: 'input' | 'arguments' },
): CallPart {
  const part: unknown = inner ?? {}
  if (!isObject(part)) throw unreadableResponse()
  const { name = null } = part
  const text = part[field] ?? ''
  if (typeof text !== 'string' || (name !== null && typeof name !== 'string')) throw unreadableResponse()
  return {
    key,
    id: typeof id === 'string' ? id : undefined,
    name: name ?? undefined,
    arguments: text,
    isCustom: field === 'input',
    write(newName, newText) {
      const target = part as ResponsePart
      if (newName !== undefined) target.name = newName
      target[field] = newText
    },
  }
}
