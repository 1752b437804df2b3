import { encodeFrame } from '../sse/frame.ts'
import { readChatPart } from './chat-response.ts'
import type { ChatCall } from './chat-response.ts'
import type { MessageUsage } from './usage/message-usage.ts'
import type { EventTranslator } from './messages-response.ts'

type Json = Readonly<Record<string, unknown>>

/** Ids and time of one response. */
export interface ResponseHead {
  /** Suffix of all ids. */
  readonly id: string
  readonly createdAt: number // seconds
}

/** Translates a chat completion to a response of OpenAI's Responses API. */
export function chatToResponse(completion: Json, head: ResponseHead): Json {
  const part = readChatPart(completion, 'message')
  const text = part.text === '' && part.refusal === '' ? [] : [messageItem(head, part)]
  const calls = part.calls.map((call) => callItem(head, call))
  return responseOf(head, { model: part.model, output: [...text, ...calls], finish: part.finish, usage: part.usage })
}

interface Ended {
  readonly model: string | undefined
  readonly output: readonly Json[]
  readonly finish: string | undefined
  readonly usage: MessageUsage | undefined
}

function responseOf(head: ResponseHead, { model, output, finish, usage }: Ended): Json {
  const isCut = finish === 'length' || finish === 'content_filter'
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter'
  return {
    ...bareResponse(head, model),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason } : null,
    output,
    usage: usage === undefined ? null : toUsage(usage),
  }
}

function bareResponse({ id, createdAt }: ResponseHead, model = ''): Json {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    store: false,
    usage: null,
  }
}

function toUsage({ inputTokens, cachedTokens, outputTokens, reasoningTokens }: MessageUsage): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}

function messageItem(
  { id }: ResponseHead,
  { text, refusal }: { readonly text: string; readonly refusal: string },
): Json {
  const content = [...(text === '' ? [] : [textPart(text)]), ...(refusal === '' ? [] : [{ type: 'refusal', refusal }])]
  return { id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content }
}

function textPart(text: string): Json {
  return { type: 'output_text', text, annotations: [] }
}

function callItem({ id }: ResponseHead, { index, id: callId = '', name = '', arguments: json }: ChatCall): Json {
  return { id: `fc_${id}_${index}`, type: 'function_call', status: 'completed', call_id: callId, name, arguments: json }
}

/** Creates a translator of the chunks of a streamed chat completion to events of the Responses API. */
export function createResponseEvents(head: ResponseHead): EventTranslator {
  let sequence = 0
  let model: string | undefined
  let finish: string | undefined
  let usage: MessageUsage | undefined
  let started = false
  const output: Json[] = []
  let open: { readonly call: ChatCall | undefined; text: string } | undefined
  const event = (type: string, data: Json): Buffer =>
    encodeFrame({ event: type, data: JSON.stringify({ type, sequence_number: sequence++, ...data }) })
  const begin = (): Buffer[] => {
    started = true
    const response = bareResponse(head, model)
    return [event('response.created', { response }), event('response.in_progress', { response })]
  }
  const place = (): Json => ({ output_index: output.length })
  const close = (): Buffer[] => {
    if (open === undefined) return []
    const { call, text } = open
    open = undefined
    const events = call === undefined ? closeText(text) : closeCall({ ...call, arguments: text })
    return events
  }
  const closeText = (text: string): Buffer[] => {
    const item = messageItem(head, { text, refusal: '' })
    const at = { ...place(), item_id: item.id, content_index: 0 }
    const events = [
      event('response.output_text.done', { ...at, text, logprobs: [] }),
      event('response.content_part.done', { ...at, part: textPart(text) }),
      event('response.output_item.done', { ...place(), item }),
    ]
    output.push(item)
    return events
  }
  const closeCall = (call: ChatCall): Buffer[] => {
    const item = callItem(head, call)
    const { arguments: json, name } = call
    const events = [
      event('response.function_call_arguments.done', { ...place(), item_id: item.id, name, arguments: json }),
      event('response.output_item.done', { ...place(), item }),
    ]
    output.push(item)
    return events
  }
  const text = (added: string): Buffer[] => {
    if (added === '') return []
    const events: Buffer[] = []
    const bare = messageItem(head, { text: '', refusal: '' })
    if (open === undefined || open.call !== undefined) {
      events.push(...close())
      open = { call: undefined, text: '' }
      events.push(event('response.output_item.added', { ...place(), item: { ...bare, status: 'in_progress' } }))
      const part = { ...place(), item_id: bare.id, content_index: 0, part: textPart('') }
      events.push(event('response.content_part.added', part))
    }
    open.text += added
    const at = { ...place(), item_id: bare.id, content_index: 0 }
    return [...events, event('response.output_text.delta', { ...at, delta: added, logprobs: [] })]
  }
  const call = (part: ChatCall): Buffer[] => {
    const events: Buffer[] = []
    if (open?.call?.index !== part.index) {
      events.push(...close())
      open = { call: part, text: '' }
      const item = { ...callItem(head, { ...part, arguments: '' }), status: 'in_progress' }
      events.push(event('response.output_item.added', { ...place(), item }))
    }
    if (open === undefined || part.arguments === '') return events
    open.text += part.arguments
    const at = { ...place(), item_id: callItem(head, part).id }
    return [...events, event('response.function_call_arguments.delta', { ...at, delta: part.arguments })]
  }
  return {
    chunk(body) {
      const part = readChatPart(body, 'delta')
      model ??= part.model
      finish = part.finish ?? finish
      usage = part.usage ?? usage
      return Buffer.concat([
        ...(started ? [] : begin()),
        ...text(part.text + part.refusal),
        ...part.calls.flatMap(call),
      ])
    },
    end() {
      if (!started) return Buffer.alloc(0)
      const closed = close()
      const response = responseOf(head, { model, output, finish, usage })
      const type = response.status === 'completed' ? 'response.completed' : 'response.incomplete'
      return Buffer.concat([...closed, event(type, { response })])
    },
  }
}
