import type { WaitingInterrupt } from './approval-items.ts'

/** How a question is answered: with one of some values, with words, or with JSON. */
export type ReplyForm =
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'words' }
  | { readonly kind: 'json' }

/** A value that was written, or why it is refused. */
export type WrittenValue = { readonly value: unknown } | { readonly problem: 'empty' | 'notJson' | 'notObject' }

interface AnswerSchema {
  readonly type?: unknown
  readonly enum?: unknown
}

/** How the schema of a question wants its answer. */
export function replyForm({ schema }: Pick<WaitingInterrupt, 'schema'>): ReplyForm {
  const { type, enum: choices } = (isObject(schema) ? schema : {}) as AnswerSchema
  if (type === 'boolean') return { kind: 'choice', choices: ['true', 'false'] }
  if (Array.isArray(choices) && choices.length > 0 && choices.every((one) => typeof one === 'string'))
    return { kind: 'choice', choices }
  return type === undefined || type === 'string' ? { kind: 'words' } : { kind: 'json' }
}

/** Reads the answer to a question. */
export function readReply({ schema }: Pick<WaitingInterrupt, 'schema'>, written: string): WrittenValue {
  if (written.trim() === '') return { problem: 'empty' }
  const { kind } = replyForm({ schema })
  const isBoolean = kind === 'choice' && isObject(schema) && schema['type'] === 'boolean'
  return kind === 'json' || isBoolean ? readJson(written) : { value: written }
}

/** Reads edited arguments. */
export function readArguments(written: string): WrittenValue {
  const read = readJson(written)
  return 'value' in read && !isObject(read.value) ? { problem: 'notObject' } : read
}

function readJson(written: string): WrittenValue {
  try {
    return { value: JSON.parse(written) }
  } catch {
    return { problem: 'notJson' }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value instanceof Object && !Array.isArray(value)
}
