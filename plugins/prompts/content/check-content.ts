import { createHash } from 'node:crypto'
import type { FieldError } from '#core/errors/domain-error.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { isObject } from '#core/json/is-object.ts'
import { MAX_PROMPT_TEXT } from '#schemas/api/prompts.ts'
import type { PromptContent, PromptVersionFields } from '#schemas/api/prompts.ts'
import { MAX_VARIABLES, textsOf, variablesOf } from './template.ts'

const MAX_SCHEMA = 65_536

/** Problems of a content beyond its schema; pointers are those of the flat form. */
export function contentProblems(content: PromptContent & { readonly type?: string | undefined }): FieldError[] {
  const { text, messages, type } = content
  if ((text === undefined) === (messages === undefined))
    return [{ pointer: '/text', detail: 'exactly one of text and messages is required' }]
  const expected = text === undefined ? 'chat' : 'text'
  if (type !== undefined && type !== expected)
    return [{ pointer: '/type', detail: `must be ${expected} for ${text === undefined ? 'messages' : 'a text'}` }]
  const field = text === undefined ? '/messages' : '/text'
  const length = textsOf(content).reduce((sum, one) => sum + one.length, 0)
  if (length > MAX_PROMPT_TEXT)
    return [{ pointer: field, detail: `must have at most ${MAX_PROMPT_TEXT} characters together` }]
  const used = variablesOf(content)
  if (used.length > MAX_VARIABLES)
    return [{ pointer: field, detail: `has ${used.length} variables, and may have ${MAX_VARIABLES}` }]
  return schemaProblems(content.variables, used, field)
}

function schemaProblems(schema: unknown, used: readonly string[], field: string): FieldError[] {
  if (schema === undefined) return []
  const declared = isObject(schema) ? (schema['properties'] ?? {}) : undefined
  if (!isObject(schema) || (schema['type'] ?? 'object') !== 'object' || !isObject(declared))
    return [{ pointer: '/variables', detail: 'must be a JSON Schema of an object with properties' }]
  if (JSON.stringify(schema).length > MAX_SCHEMA)
    return [{ pointer: '/variables', detail: `must have at most ${MAX_SCHEMA} characters` }]
  const unknown = used.find((name) => !Object.hasOwn(declared, name))
  return unknown === undefined
    ? []
    : [{ pointer: field, detail: `uses {{${unknown}}}, which is not a property of variables` }]
}

/** The stored fields of a content that follows a version. */
export function toVersionFields(content: PromptContent, parent: number | null): PromptVersionFields {
  return { ...content, type: content.text === undefined ? 'chat' : 'text', contentHash: contentHashOf(content), parent }
}

/** Digest of a content. The commit message is no part of it, since it says why, not what. */
export function contentHashOf(content: PromptContent): string {
  return `sha256:${createHash('sha256')
    .update(canonicalJson(comparedFields(content)))
    .digest('hex')}`
}

/** The fields by which versions differ. */
export function comparedFields({ text, messages, variables, config, tags }: PromptContent): Record<string, unknown> {
  const fields = { text, messages, variables, config, tags }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
