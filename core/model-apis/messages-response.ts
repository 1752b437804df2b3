import { isObject } from '../json/is-object.ts'
import { encodeFrame } from '../sse/frame.ts'
import { readChatPart } from './chat-response.ts'
import type { ChatCall, ChatPart } from './chat-response.ts'
import type { MessageUsage } from './usage/message-usage.ts'

type Json = Readonly<Record<string, unknown>>

/** Translates a chat completion to a message of Anthropic's API. `id` is that of the message. */
export function chatToMessage(completion: Json, id: string): Json {
  const part = readChatPart(completion, 'message')
  const text = part.text + part.refusal
  const { text: thinking, signature } = part.thinking
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...part.calls.map(({ id: callId = '', name = '', arguments: json }) => ({
      type: 'tool_use',
      id: callId,
      name,
      input: toInput(json),
    })),
  ]
  return { ...headOf(id, part.model), content, stop_reason: stopReasonOf(part), usage: toUsage(part.usage) }
}

function headOf(id: string, model = ''): Json {
  return { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null }
}

function toInput(json: string): unknown {
  try {
    const input: unknown = JSON.parse(json === '' ? '{}' : json)
    return isObject(input) ? input : {}
  } catch {
    return {}
  }
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

function stopReasonOf({ finish = 'stop', refusal }: Pick<ChatPart, 'finish' | 'refusal'>): string {
  if (refusal !== '') return 'refusal'
  return (Object.hasOwn(stopReasons, finish) ? stopReasons[finish] : undefined) ?? 'end_turn'
}

// Cached and written tokens are not part of the input here.
function toUsage(usage: MessageUsage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }): Json {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  const { cacheWriteTokens: written = 0, cacheWrite1hTokens: hour = 0 } = usage
  const byTime = { ephemeral_5m_input_tokens: Math.max(written - hour, 0), ephemeral_1h_input_tokens: hour }
  return {
    input_tokens: Math.max(inputTokens - cachedTokens - written, 0),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedTokens,
    ...(written === 0 ? {} : { cache_creation: byTime }),
    output_tokens: outputTokens,
    output_tokens_details: reasoningTokens === 0 ? null : { thinking_tokens: reasoningTokens },
  }
}

/** Translates the chunks of a streamed chat completion to events of Anthropic's API. */
export interface EventTranslator {
  /** The events of one chunk. */
  chunk(chunk: Json): Buffer
  /** The events at the end of the stream. */
  end(): Buffer
}

/** Creates a translator. `id` is that of the message. */
export function createMessageEvents(id: string): EventTranslator {
  let started = false
  let next = 0
  let open: { readonly index: number; readonly call: number | undefined; readonly isThought: boolean } | undefined
  let last: Pick<ChatPart, 'finish' | 'refusal'> = { finish: undefined, refusal: '' }
  let usage: MessageUsage | undefined
  const close = (): Buffer[] => {
    const closed = open === undefined ? [] : [event('content_block_stop', { index: open.index })]
    open = undefined
    return closed
  }
  const begin = (call: number | undefined, block: Json): Buffer[] => {
    const closed = close()
    open = { index: next++, call, isThought: block.type === 'thinking' }
    return [...closed, event('content_block_start', { index: open.index, content_block: block })]
  }
  const delta = (content: Json): Buffer => event('content_block_delta', { index: open?.index ?? 0, delta: content })
  const text = (added: string): Buffer[] => {
    if (added === '') return []
    const isOpen = open?.call === undefined && open?.isThought === false
    const begun = isOpen ? [] : begin(undefined, { type: 'text', text: '' })
    return [...begun, delta({ type: 'text_delta', text: added })]
  }
  const thought = ({ text: added, signature }: ChatPart['thinking']): Buffer[] => {
    if (added === '' && signature === '') return []
    const begun = open?.isThought === true ? [] : begin(undefined, { type: 'thinking', thinking: '', signature: '' })
    const more = added === '' ? [] : [delta({ type: 'thinking_delta', thinking: added })]
    return [...begun, ...more, ...(signature === '' ? [] : [delta({ type: 'signature_delta', signature }), ...close()])]
  }
  const call = ({ index, id: callId = '', name = '', arguments: json }: ChatCall): Buffer[] => {
    const isOpen = open?.call === index
    const begun = isOpen ? [] : begin(index, { type: 'tool_use', id: callId, name, input: {} })
    return json === '' ? begun : [...begun, delta({ type: 'input_json_delta', partial_json: json })]
  }
  return {
    chunk(body) {
      const part = readChatPart(body, 'delta')
      const head = started ? [] : [event('message_start', { message: { ...headOf(id, part.model), usage: toUsage() } })]
      started = true
      usage = part.usage ?? usage
      last = { finish: part.finish ?? last.finish, refusal: last.refusal + part.refusal }
      return Buffer.concat([
        ...head,
        ...thought(part.thinking),
        ...text(part.text + part.refusal),
        ...part.calls.flatMap(call),
      ])
    },
    end() {
      if (!started) return Buffer.alloc(0)
      const end = { delta: { stop_reason: stopReasonOf(last), stop_sequence: null }, usage: toUsage(usage) }
      return Buffer.concat([...close(), event('message_delta', end), event('message_stop', {})])
    },
  }
}

function event(type: string, data: Json): Buffer {
  return encodeFrame({ event: type, data: JSON.stringify({ type, ...data }) })
}
