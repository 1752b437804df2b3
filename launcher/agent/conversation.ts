import { isObject } from '#core/json/is-object.ts'
import type { Span } from '#core/telemetry/tracer.ts'
import type { InvokeRequest, Resolution } from '#schemas/run.ts'
import type { AgentConfig } from '../agent-config.ts'
import { toContent } from './chat.ts'
import type { ChatMessage, ToolCall } from './chat.ts'

/** A tool call that waits for a person. */
export interface PendingCall extends ToolCall {
  readonly interruptId?: string
}

/** A step that has begun: a model call and the tool calls that it asks for, also those made after a pause. */
export interface OpenStep {
  readonly spanId: string
  readonly startedAt: string // RFC 3339
  /** Absent after a resume: the span was ended with the pause. */
  readonly span?: Span
}

/** Where the loop stands: what was said, the calls of the last answer that are still to be made, and the steps so far. */
export interface Conversation {
  readonly messages: ChatMessage[]
  pending: readonly PendingCall[]
  steps: number
  /** The step of that number that has not finished. */
  open?: OpenStep | undefined
}

/** The conversation of a new run: system prompt, earlier turns, the input. */
export function startConversation(config: AgentConfig, request: InvokeRequest): Conversation {
  const system = config.systemPrompt === undefined ? [] : [{ role: 'system' as const, content: config.systemPrompt }]
  const history = (request.context?.history ?? []).flatMap(({ input, output }): ChatMessage[] => [
    { role: 'user', content: toContent(input) },
    { role: 'assistant', content: toContent(output) },
  ])
  const messages = [...system, ...history, { role: 'user' as const, content: toContent(request.input) }]
  return { messages, pending: [], steps: 0 }
}

/** What a paused run needs to go on; opaque to everybody else. */
export function toCheckpoint({ messages, pending, steps, open }: Conversation): unknown {
  const step = open && { spanId: open.spanId, startedAt: open.startedAt }
  return { v: 1, messages, pending, steps, ...(step === undefined ? {} : { open: step }) }
}

/** Restores a conversation; undefined when the checkpoint is not one of ours. */
export function fromCheckpoint(value: unknown): Conversation | undefined {
  if (!isObject(value) || value.v !== 1) return undefined
  const { messages, pending, steps, open } = value
  if (!Array.isArray(messages) || !messages.every(isChatMessage)) return undefined
  if (!Array.isArray(pending) || !pending.every(isPendingCall)) return undefined
  if (typeof steps !== 'number' || !Number.isSafeInteger(steps) || steps < 0) return undefined
  // Checkpoints of before have none.
  return { messages: [...messages], pending, steps, ...(isOpenStep(open) ? { open } : {}) }
}

/** Decisions by the interrupt that they answer. */
export function resolutionsById(request: InvokeRequest): ReadonlyMap<string, Resolution> {
  return new Map(request.context?.resume?.resolutions.map((resolution) => [resolution.interruptId, resolution]))
}

function isChatMessage(value: unknown): value is ChatMessage {
  if (!isObject(value)) return false
  if (value.role === 'assistant') return value.content === null || typeof value.content === 'string'
  return ['system', 'user', 'tool'].includes(String(value.role)) && typeof value.content === 'string'
}

function isOpenStep(value: unknown): value is OpenStep {
  if (!isObject(value) || typeof value.startedAt !== 'string') return false
  return typeof value.spanId === 'string' && /^[0-9a-f]{16}$/.test(value.spanId) && value.span === undefined
}

function isPendingCall(value: unknown): value is PendingCall {
  return isObject(value) && [value.id, value.name, value.arguments].every((part) => typeof part === 'string')
}
