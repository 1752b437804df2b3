import type { RespondingTarget } from '#core/model-apis/target-header.ts'
import { readChatUsage } from '#core/model-apis/usage/chat-usage.ts'
import { isObject } from '#core/json/is-object.ts'
import type { FailReason, Usage } from '#schemas/runs/run.ts'
import { createSseParser } from '#core/sse/parser.ts'
import { JsonRefused, parseBoundedJson } from '../contract/http/bounded-json.ts'
import type { Cost } from '../contract/calls/model-call.ts'
import { noUsage } from '../contract/runs/usage.ts'
import { toStorable } from '#schemas/values/storable-text.ts'
import type { ToolCall } from '../contract/loop/chat-messages.ts'
import { createTextSanitizer } from './text-sanitizer.ts'
import type { TextSanitizer } from './text-sanitizer.ts'

/** Thrown for a model call without a usable response. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly failReason: FailReason
  /** The gateway's error response, if there was one. */
  readonly answered: GatewayResponse
  /** True if another route may succeed: overload, server error or no connection. */
  readonly retryable: boolean
  constructor(
    message: string,
    failReason: FailReason = 'model_error',
    retryable = false,
    answered: GatewayResponse = {},
  ) {
    super(message)
    this.failReason = failReason
    this.retryable = retryable
    this.answered = answered
  }
}

/** The budget is used up, and the agent then pauses (`spec.budget.onExceed`). */
export class BudgetHold extends ModelError {}

/** An error response of the gateway; `provider` (`namespace/name`) is the last one that it called. */
export interface GatewayResponse {
  readonly status?: number
  readonly code?: string
  readonly provider?: string
}

/** The response of a model. */
export interface ModelResponse extends RespondingTarget {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly usage: Usage
  /** Name of the model at the provider. */
  readonly model: string
  /** What the call cost; absent if the agent has no budget, or its price is unknown. */
  readonly cost?: Cost
}

/** Assembles a response from the bytes of a chat completion, streamed or not. Throws `ModelError`. */
export interface ModelResponseReader {
  push(chunk: Buffer): void
  end(): ModelResponse
}

interface Draft {
  text: string
  readonly sanitizer: TextSanitizer
  usage: Usage
  model: string
  finished: boolean
  readonly calls: Map<number, { id: string; name: string; arguments: string }>
}

/** Reads `text/event-stream` (OpenAI chat completion chunks); `onText` receives text as it arrives. */
export function readStream(onText: (text: string) => void): ModelResponseReader {
  const draft = newDraft()
  const parser = createSseParser(({ data }) => {
    if (data === '[DONE]') draft.finished = true
    else take(draft, parseChunk(data), 'delta', onText)
  })
  return { push: (chunk) => parser.push(chunk), end: () => finish(draft, onText) }
}

/** Reads a JSON response of a provider that does not stream. */
export function readWhole(onText: (text: string) => void): ModelResponseReader {
  const chunks: Buffer[] = []
  return {
    push: (chunk) => {
      void chunks.push(Buffer.from(chunk))
    },
    end() {
      const draft = newDraft()
      take(draft, parseChunk(Buffer.concat(chunks).toString('utf8')), 'message', onText)
      return finish(draft, onText)
    },
  }
}

function newDraft(): Draft {
  return { text: '', sanitizer: createTextSanitizer(), usage: noUsage, model: '', finished: false, calls: new Map() }
}

function parseChunk(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    throw new ModelError(`the response of the model gateway ${error.message}`)
  }
  if (!isObject(value)) throw new ModelError('the response of the model gateway is not a JSON object')
  if (value.error !== undefined) throw new ModelError(errorText(value))
  return value
}

function take(
  draft: Draft,
  chunk: Readonly<Record<string, unknown>>,
  part: 'delta' | 'message',
  onText: (text: string) => void,
): void {
  if (typeof chunk.model === 'string') draft.model = toStorable(chunk.model)
  draft.usage = readChatUsage(chunk.usage) ?? draft.usage
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  if (!isObject(choice)) return
  const content = isObject(choice[part]) ? choice[part] : {}
  if (typeof content.content === 'string') addText(draft, draft.sanitizer.push(content.content), onText)
  if (Array.isArray(content.tool_calls))
    for (const [index, call] of content.tool_calls.entries()) takeCall(draft, call, index)
  if (typeof choice.finish_reason === 'string') draft.finished = true
}

function addText(draft: Draft, text: string, onText: (text: string) => void): void {
  if (text === '') return
  draft.text += text
  onText(text)
}

function takeCall(draft: Draft, value: unknown, position: number): void {
  if (!isObject(value)) throw new ModelError('the model response has a malformed tool call')
  const index = typeof value.index === 'number' ? value.index : position
  const call = draft.calls.get(index) ?? { id: '', name: '', arguments: '' }
  const fn = isObject(value.function) ? value.function : {}
  if (typeof value.id === 'string') call.id = value.id
  if (typeof fn.name === 'string') call.name += fn.name
  if (typeof fn.arguments === 'string') call.arguments += fn.arguments
  draft.calls.set(index, call)
}

function finish(draft: Draft, onText: (text: string) => void): ModelResponse {
  if (!draft.finished) throw new ModelError('the model response is incomplete')
  addText(draft, draft.sanitizer.end(), onText)
  const calls = [...draft.calls.entries()].toSorted(([a], [b]) => a - b)
  const toolCalls = calls.map(([index, call]) => ({
    id: toStorable(call.id === '' ? `call_${index}` : call.id),
    name: toStorable(call.name),
    arguments: toStorable(call.arguments),
  }))
  if (toolCalls.some(({ name }) => name === ''))
    throw new ModelError('the model response has a tool call without a name')
  return { text: draft.text, toolCalls, usage: draft.usage, model: draft.model }
}

/** Bounded message of an OpenAI error body. */
export function errorText(body: Readonly<Record<string, unknown>>): string {
  const error = isObject(body.error) ? body.error.message : body.error
  return typeof error === 'string' ? toStorable(error.slice(0, 500)) : 'the model call failed'
}
