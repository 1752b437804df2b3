import { isObject } from '#core/json/is-object.ts'
import type { Span } from '#core/telemetry/tracer.ts'
import type { InvokeRequest, Resolution } from '#schemas/runs/run.ts'
import type { AgentConfig } from '../contract/settings/agent-config.ts'
import { toContent } from '../contract/loop/chat-messages.ts'
import type { ChatMessage, ToolCall } from '../contract/loop/chat-messages.ts'

/** A tool call that waits for a person. */
export interface PendingCall extends ToolCall {
  readonly interruptId?: string
  /** It needs no further decision, and waits for a consent. */
  readonly isDecided?: true
}

/** A started step: a model call and its tool calls, including those after a pause. */
export interface OpenStep {
  readonly spanId: string
  readonly startedAt: string // RFC 3339
  /** Absent after a resume: the span was ended with the pause. */
  readonly span?: Span
}

/** State of the loop: messages, pending tool calls of the last response, and the number of steps. */
export interface Conversation {
  readonly messages: ChatMessage[]
  pending: readonly PendingCall[]
  steps: number
  /** The current step, if it has not finished. */
  open?: OpenStep | undefined
  /** The model call of the current step waits for approval or for budget. */
  awaitsModel?: boolean | undefined
}

/**
 * The conversation of a new run: system prompt, messages of the prompt, earlier turns, the input. `recalled` holds its turns from session memory and replaces the history of
 * runs.
 */
export function startConversation(
  config: AgentConfig,
  request: InvokeRequest,
  recalled?: readonly ChatMessage[],
): Conversation {
  const system = config.systemPrompt === undefined ? [] : [{ role: 'system' as const, content: config.systemPrompt }]
  const history = (request.context?.history ?? []).flatMap(({ input, output }): ChatMessage[] => [
    { role: 'user', content: toContent(input) },
    { role: 'assistant', content: toContent(output) },
  ])
  const prompt = config.messages ?? []
  const earlier = [...system, ...prompt, ...(recalled ?? history)]
  const messages = [...earlier, { role: 'user' as const, content: toContent(request.input) }]
  return { messages, pending: [], steps: 0 }
}

/** Checkpoint to resume a paused run; opaque to other components. */
export function toCheckpoint({ messages, pending, steps, open, awaitsModel }: Conversation): unknown {
  const step = open && { spanId: open.spanId, startedAt: open.startedAt }
  const waiting = awaitsModel === true ? { awaitsModel } : {}
  return { v: 1, messages, pending, steps, ...(step === undefined ? {} : { open: step }), ...waiting }
}

/** Restores a conversation; undefined if the checkpoint is invalid. */
export function fromCheckpoint(value: unknown): Conversation | undefined {
  if (!isObject(value) || value.v !== 1) return undefined
  const { messages, pending, steps, open, awaitsModel } = value
  if (!Array.isArray(messages) || !messages.every(isChatMessage)) return undefined
  if (!Array.isArray(pending) || !pending.every(isPendingCall)) return undefined
  if (typeof steps !== 'number' || !Number.isSafeInteger(steps) || steps < 0) return undefined
  // Older checkpoints have no open step.
  const isWaiting = awaitsModel === true && isOpenStep(open)
  return { messages: [...messages], pending, steps, ...(isOpenStep(open) ? { open } : {}), awaitsModel: isWaiting }
}

/** Resolutions by the id of their interrupt. */
export function resolutionsById(request: InvokeRequest): ReadonlyMap<string, Resolution> {
  return new Map(request.context?.resume?.resolutions.map((resolution) => [resolution.interruptId, resolution]))
}

/** Whether a stored value is a message. */
export function isChatMessage(value: unknown): value is ChatMessage {
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
