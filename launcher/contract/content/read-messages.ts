import { isObject } from '#core/json/is-object.ts'
import type { SpanContent, SpanMessage, SpanPart } from '#core/telemetry/span-content.ts'
import { parseBoundedJson } from '../http/bounded-json.ts'

type Json = Readonly<Record<string, unknown>>

/** Newest messages that are read; older ones would exceed the bound of the content. */
const MAX_MESSAGES = 128

/** Messages of a request in the form of OpenAI's or Anthropic's API. System messages at its beginning are instructions. */
export function readRequest({ messages, system, input }: Json): SpanContent {
  if (messages === undefined) return input === undefined ? {} : { input: [{ role: 'user', parts: toParts(input) }] }
  const all = (Array.isArray(messages) ? messages : []).filter(isObject)
  const first = all.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = first === -1 ? all : all.slice(0, first)
  const instructions = [...toParts(system), ...leading.flatMap(({ content }) => toParts(content))]
  const shown = (first === -1 ? [] : all.slice(first)).slice(-MAX_MESSAGES)
  return {
    ...(instructions.length === 0 ? {} : { system: instructions }),
    input: shown.map(readMessage),
  }
}

/** Messages of a response: choices of a chat completion, or a message of Anthropic. */
export function readResponse({ choices, content, role }: Json): readonly SpanMessage[] | undefined {
  if (Array.isArray(choices)) {
    const messages = choices.flatMap((choice) => (isObject(choice) && isObject(choice.message) ? [choice.message] : []))
    return messages.map(readMessage)
  }
  return content === undefined ? undefined : [readMessage({ role, content })]
}

function readMessage(message: Json): SpanMessage {
  const { role, content, tool_calls: calls, tool_call_id: answered, reasoning_content: reasoning } = message
  const named = typeof role === 'string' ? role : 'assistant'
  if (role === 'tool') return { role: named, parts: [{ type: 'tool_call_response', id: answered, response: content }] }
  const thought = typeof reasoning === 'string' ? [{ type: 'reasoning', content: reasoning }] : []
  const called = (Array.isArray(calls) ? calls : []).filter(isObject).map(readCall)
  return { role: named, parts: [...thought, ...toParts(content), ...called] }
}

function readCall({ id, function: called }: Json): SpanPart {
  const { name, arguments: given } = isObject(called) ? called : {}
  return { type: 'tool_call', id, name, arguments: readArguments(given) }
}

/** Arguments as a value, so that fields that name a credential are redacted; as they are if they are not JSON. */
export function readArguments(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return parseBoundedJson(given)
  } catch {
    return given
  }
}

function toParts(content: unknown): readonly SpanPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return (Array.isArray(content) ? content : []).flatMap((one) => (isObject(one) ? [toPart(one)] : toParts(one)))
}

// Media are named, without their data.
function toPart(block: Json): SpanPart {
  const { type, text, thinking, id, name, input, tool_use_id: answered, content } = block
  if (type === 'text' || type === 'input_text') return { type: 'text', content: text }
  if (type === 'thinking') return { type: 'reasoning', content: thinking }
  if (type === 'tool_use') return { type: 'tool_call', id, name, arguments: input }
  if (type === 'tool_result')
    return {
      type: 'tool_call_response',
      id: answered,
      response: typeof content === 'string' ? content : toParts(content),
    }
  return { type: typeof type === 'string' ? type.slice(0, 64) : 'unknown' }
}
