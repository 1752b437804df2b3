import { isObject } from '../json/is-object.ts'
import { InvalidRequest } from './invalid-request.ts'
import { findRefusedField } from './request-fields.ts'

type Json = Readonly<Record<string, unknown>>

const unsupported = ['previous_response_id', 'conversation', 'prompt', 'background'] as const

/** Translates a request of OpenAI's Responses API to a chat completion. Throws `InvalidRequest`. */
export function responsesToChat(body: Json): Json {
  for (const field of unsupported)
    if ((body[field] ?? false) !== false) throw new InvalidRequest(field, 'is not supported: nothing is stored')
  const refused = findRefusedField('responses', body)
  if (refused !== undefined) throw new InvalidRequest(refused.field, refused.detail)
  const { model, instructions, input, max_output_tokens: most, temperature, top_p: topP, stream, user } = body
  const { tools, tool_choice: choice, parallel_tool_calls: parallel, reasoning, text } = body
  const system = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []
  return withoutUndefined({
    model,
    messages: [...system, ...toMessages(input)],
    max_completion_tokens: most ?? undefined,
    temperature: temperature ?? undefined,
    top_p: topP ?? undefined,
    user,
    reasoning_effort: isObject(reasoning) ? (reasoning.effort ?? undefined) : undefined,
    response_format: isObject(text) ? toFormat(text.format) : undefined,
    ...toTools(tools, { choice, parallel }),
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : { stream: stream ?? undefined }),
  })
}

function toMessages(input: unknown): Json[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw new InvalidRequest('input', 'must be a string or a list of at least one item')
  const messages: Json[] = []
  for (const [index, item] of input.entries()) addItem(messages, item, `input[${index}]`)
  return messages
}

function addItem(messages: Json[], item: unknown, at: string): void {
  if (!isObject(item)) throw new InvalidRequest(at, 'must be an object')
  const { type = 'message' } = item
  if (type === 'reasoning') return
  if (type === 'message') messages.push(toMessage(item, at))
  else if (type === 'function_call_output') messages.push(toToolMessage(item, at))
  else if (type === 'function_call') addCall(messages, item, at)
  else throw new InvalidRequest(`${at}.type`, 'is not supported')
}

function toMessage({ role, content }: Json, at: string): Json {
  if (typeof role !== 'string' || !/^(?:user|assistant|system|developer)$/.test(role))
    throw new InvalidRequest(`${at}.role`, 'must be user, assistant, system or developer')
  if (typeof content === 'string') return { role, content }
  if (!Array.isArray(content)) throw new InvalidRequest(`${at}.content`, 'must be a string or a list of parts')
  const parts = content.map((part: unknown) => toPart(part, `${at}.content`))
  if (role === 'user') return { role, content: parts }
  return { role, content: parts.map(({ text = '' }) => text).join('') }
}

function toPart(part: unknown, at: string): Json {
  const { type, text, image_url: url } = isObject(part) ? part : {}
  if ((type === 'input_text' || type === 'output_text' || type === 'text') && typeof text === 'string')
    return { type: 'text', text }
  if (type === 'input_image' && typeof url === 'string') return { type: 'image_url', image_url: { url } }
  throw new InvalidRequest(at, 'must be parts of type input_text, output_text or input_image with an image_url')
}

function toToolMessage({ call_id: id, output }: Json, at: string): Json {
  if (typeof id !== 'string') throw new InvalidRequest(`${at}.call_id`, 'is missing')
  if (typeof output === 'string') return { role: 'tool', tool_call_id: id, content: output }
  if (!Array.isArray(output)) throw new InvalidRequest(`${at}.output`, 'must be a string or a list of parts')
  const texts = output.map((part: unknown) => toPart(part, `${at}.output`).text ?? '')
  return { role: 'tool', tool_call_id: id, content: texts.join('\n') }
}

// Consecutive calls form one message of the assistant.
function addCall(messages: Json[], { call_id: id, name, arguments: json }: Json, at: string): void {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof json !== 'string')
    throw new InvalidRequest(at, 'a function_call must have call_id, name and arguments')
  const call = { id, type: 'function', function: { name, arguments: json } }
  const last = messages.at(-1)
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  // Changed in place, since a copy for each call would cost quadratic time.
  else if (Array.isArray(last.tool_calls)) last.tool_calls.push(call)
  else messages[messages.length - 1] = { ...last, tool_calls: [call] }
}

function toFormat(format: unknown): unknown {
  if (!isObject(format) || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json_object' }
  const { type, name, schema, strict, description } = format
  if (type !== 'json_schema') throw new InvalidRequest('text.format.type', 'must be text, json_object or json_schema')
  return { type, json_schema: withoutUndefined({ name, schema, strict, description }) }
}

function toTools(tools: unknown, { choice, parallel }: { readonly choice: unknown; readonly parallel: unknown }): Json {
  if (tools === undefined || (Array.isArray(tools) && tools.length === 0)) return {}
  if (!Array.isArray(tools)) throw new InvalidRequest('tools', 'must be a list')
  const functions = tools.map((tool: unknown, index) => {
    const { type, name, description, parameters, strict } = isObject(tool) ? tool : {}
    if (type !== 'function') throw new InvalidRequest(`tools[${index}].type`, 'must be function')
    const fn = {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      strict: strict ?? undefined,
    }
    return { type, function: withoutUndefined(fn) }
  })
  const wanted = isObject(choice) ? { type: 'function', function: { name: choice.name } } : choice
  return withoutUndefined({ tools: functions, tool_choice: wanted, parallel_tool_calls: parallel ?? undefined })
}

function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
