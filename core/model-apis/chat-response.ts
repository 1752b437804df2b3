import { isObject } from '../json/is-object.ts'
import { readChatUsage } from './usage/chat-usage.ts'
import type { MessageUsage } from './usage/message-usage.ts'

type Json = Readonly<Record<string, unknown>>

/** A tool call of a chat completion, or a part of one in a stream. */
export interface ChatCall {
  readonly index: number
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string
}

/** The parts of a chat completion, or of one of its chunks, that other APIs have too. */
export interface ChatPart {
  readonly model: string | undefined
  readonly text: string
  readonly refusal: string
  /** Thinking of a message that was translated to a chat completion, and its signature. */
  readonly thinking: { readonly text: string; readonly signature: string }
  readonly calls: readonly ChatCall[]
  readonly finish: string | undefined
  readonly usage: MessageUsage | undefined
}

/** Reads the first choice of a chat completion (`message`) or of a chunk (`delta`). */
export function readChatPart(body: Json, field: 'message' | 'delta'): ChatPart {
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined
  const { finish_reason: finish, [field]: given } = isObject(choice) ? choice : {}
  const message = isObject(given) ? given : {}
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  return {
    model: typeof body.model === 'string' ? body.model : undefined,
    text: textOf(message.content),
    refusal: textOf(message.refusal),
    thinking: { text: textOf(message.thinking), signature: textOf(message.thinking_signature) },
    calls: calls.map(toCall),
    finish: typeof finish === 'string' ? finish : undefined,
    usage: readChatUsage(body.usage),
  }
}

function toCall(call: Json, position: number): ChatCall {
  const fn = isObject(call.function) ? call.function : {}
  return {
    index: typeof call.index === 'number' ? call.index : position,
    id: typeof call.id === 'string' ? call.id : undefined,
    name: typeof fn.name === 'string' ? fn.name : undefined,
    arguments: textOf(fn.arguments),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
