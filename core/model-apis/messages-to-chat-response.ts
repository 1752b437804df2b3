import { isObject } from '../json/is-object.ts'
import { readMessageUsage, toChatCacheWrites } from './usage/message-usage.ts'

type Json = Readonly<Record<string, unknown>>

/** Options of the translation of responses. */
export interface ToChatOptions {
  /** Keeps thinking as the fields `thinking` and `thinking_signature`, for a response that is translated back. */
  readonly thinking?: boolean
}

/** Translates a message of Anthropic's API to a chat completion. `created` is in seconds. */
export function messageToChat(message: Json, created: number, options: ToChatOptions = {}): Json {
  const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : []
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => stringOf(text))
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({
      id: stringOf(id),
      type: 'function',
      function: { name: stringOf(name), arguments: JSON.stringify(input ?? {}) },
    }))
  const content = texts.length === 0 && calls.length > 0 ? null : texts.join('')
  const thoughts = options.thinking === true ? thinkingOf(blocks) : {}
  const toolCalls = calls.length === 0 ? {} : { tool_calls: calls }
  const answer = { role: 'assistant', ...thoughts, content, refusal: null, ...toolCalls }
  const choice = { index: 0, message: answer, logprobs: null, finish_reason: toFinish(message.stop_reason) }
  return { ...headOf(message, created, 'chat.completion'), choices: [choice], usage: toWireUsage(message.usage) }
}

/** Translates the events of a streamed message to the data of chunks of a chat completion. */
export interface ChunkTranslator {
  /** Data of the chunks of one event; `[DONE]` ends the stream. */
  event(event: Json): readonly string[]
  /** Whether the message is complete. */
  readonly ended: () => boolean
}

/** Creates a translator. */
export function createChatChunks(created: number, options: ToChatOptions = {}): ChunkTranslator {
  let head: Json = {}
  let usage: Json = {}
  let ended = false
  let calls = 0
  // Index of the content block of the current tool call, and the same until a part of its input has arrived.
  let [current, withoutInput]: unknown[] = []
  const chunk = (delta: Json, finish: string | null = null): string =>
    JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })
  const callDelta = (fields: Json): string => chunk({ tool_calls: [{ index: calls - 1, ...fields }] })
  const begin = ({ content_block: block, index }: Json): string[] => {
    if (!isObject(block) || block.type !== 'tool_use') return []
    calls++
    current = withoutInput = index
    const fn = { name: stringOf(block.name), arguments: '' }
    return [callDelta({ id: stringOf(block.id), type: 'function', function: fn })]
  }
  const add = ({ delta, index }: Json): string[] => {
    if (!isObject(delta)) return []
    if (delta.type === 'text_delta') return [chunk({ content: stringOf(delta.text) })]
    if (options.thinking === true && delta.type === 'thinking_delta')
      return [chunk({ thinking: stringOf(delta.thinking) })]
    if (options.thinking === true && delta.type === 'signature_delta')
      return [chunk({ thinking_signature: stringOf(delta.signature) })]
    // Tools of the provider have an input, too.
    if (delta.type !== 'input_json_delta' || delta.partial_json === '' || index !== current) return []
    withoutInput = undefined
    return [callDelta({ function: { arguments: stringOf(delta.partial_json) } })]
  }
  const close = ({ index }: Json): string[] => {
    const isEmpty = withoutInput !== undefined && withoutInput === index
    current = withoutInput = undefined
    return isEmpty ? [callDelta({ function: { arguments: '{}' } })] : []
  }
  const start = ({ message }: Json): string[] => {
    const given = isObject(message) ? message : {}
    head = headOf(given, created, 'chat.completion.chunk')
    usage = isObject(given.usage) ? given.usage : {}
    return [chunk({ role: 'assistant', content: '' })]
  }
  const stop = ({ delta, usage: last }: Json): string[] => {
    // Counts at the end are totals; missing ones are taken from the start.
    if (isObject(last))
      usage = { ...usage, ...Object.fromEntries(Object.entries(last).filter(([, one]) => one !== null)) }
    return [chunk({}, toFinish(isObject(delta) ? delta.stop_reason : undefined))]
  }
  const end = (): string[] => {
    ended = true
    const counts = toWireUsage(usage)
    return [...(counts === undefined ? [] : [JSON.stringify({ ...head, choices: [], usage: counts })]), '[DONE]']
  }
  const fail = ({ error }: Json): string[] => {
    ended = true
    const { type, message } = isObject(error) ? error : {}
    const failure = { message: stringOf(message), type: 'api_error', param: null, code: stringOf(type) }
    return [JSON.stringify({ error: failure }), '[DONE]']
  }
  const readers: Readonly<Record<string, (event: Json) => string[]>> = {
    message_start: start,
    content_block_start: begin,
    content_block_delta: add,
    content_block_stop: close,
    message_delta: stop,
    message_stop: end,
    error: fail,
  }
  return {
    event(event) {
      const type = stringOf(event.type)
      const read = Object.hasOwn(readers, type) ? readers[type] : undefined
      return ended ? [] : (read?.(event) ?? [])
    },
    ended: () => ended,
  }
}

function headOf({ id, model }: Json, created: number, object: string): Json {
  return { id: stringOf(id), object, created, model: stringOf(model) }
}

const finishes: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

function toFinish(reason: unknown): string {
  return (typeof reason === 'string' && Object.hasOwn(finishes, reason) ? finishes[reason] : undefined) ?? 'stop'
}

// Returns the first thinking block that has text: a chat completion keeps no order of thoughts and texts.
function thinkingOf(blocks: readonly Json[]): Json {
  const thought = blocks.find(({ type, thinking }) => type === 'thinking' && stringOf(thinking) !== '')
  return thought === undefined
    ? {}
    : { thinking: stringOf(thought.thinking), thinking_signature: stringOf(thought.signature) }
}

// Unknown usage is omitted: zeros would mean a call that is free.
function toWireUsage(given: unknown): Json | undefined {
  const usage = readMessageUsage(given)
  if (usage === undefined) return undefined
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, ...toChatCacheWrites(usage) },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
