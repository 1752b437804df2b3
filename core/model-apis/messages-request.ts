import { isObject } from '../json/is-object.ts'
import { InvalidRequest } from './invalid-request.ts'
import { findRefusedField } from './request-fields.ts'

type Json = Readonly<Record<string, unknown>>

/** Translates a request of Anthropic's Messages API to a chat completion. Throws `InvalidRequest`. */
export function messagesToChat(body: Json): Json {
  const { model, max_tokens: most, temperature, top_p: topP, stop_sequences: stop, metadata, tools, stream } = body
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw new InvalidRequest('messages', 'must be a list of at least one message')
  if (typeof most !== 'number') throw new InvalidRequest('max_tokens', 'must be a number')
  refuseUnsupported(body)
  const user = isObject(metadata) ? metadata.user_id : undefined
  return withoutUndefined({
    model,
    messages: [...toSystem(body.system, 'system'), ...body.messages.flatMap(toMessages)],
    max_tokens: most,
    temperature,
    top_p: topP,
    stop,
    user: typeof user === 'string' ? user : undefined,
    ...toTools(tools, body.tool_choice),
    ...toOutput(body.output_config),
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : { stream }),
  })
}

// Dropping such a field would silently change the response.
function refuseUnsupported(body: Json): void {
  const { thinking, top_k: topK, mcp_servers: servers, container } = body
  if (isObject(thinking) && thinking.type !== 'disabled') throw new InvalidRequest('thinking', 'is not supported')
  if (topK !== undefined) throw new InvalidRequest('top_k', 'is not supported')
  if (servers !== undefined) throw new InvalidRequest('mcp_servers', 'is not supported')
  if (container !== undefined) throw new InvalidRequest('container', 'is not supported')
  const refused = findRefusedField('messages', body)
  if (refused !== undefined) throw new InvalidRequest(refused.field, refused.detail)
}

function toSystem(system: unknown, at: string): Json[] {
  if (system === undefined) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  return [
    {
      role: 'system',
      content: blocksOf(system, at)
        .map((block) => textOf(block, at))
        .join('\n\n'),
    },
  ]
}

function toMessages(message: unknown, index: number): Json[] {
  const at = `messages[${index}]`
  if (!isObject(message)) throw new InvalidRequest(at, 'must be an object')
  const { role, content } = message
  if (role === 'system') return toSystem(content, `${at}.content`)
  if (role !== 'user' && role !== 'assistant')
    throw new InvalidRequest(`${at}.role`, 'must be user, assistant or system')
  if (typeof content === 'string') return [{ role, content }]
  const blocks = blocksOf(content, `${at}.content`)
  return role === 'user' ? fromUser(blocks, at) : [fromAssistant(blocks, at)]
}

// Tool results are separate messages, directly after the calls.
function fromUser(blocks: readonly Json[], at: string): Json[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => toToolMessage(block, at))
  const parts = blocks.filter(({ type }) => type !== 'tool_result').map((block) => toPart(block, at))
  return parts.length === 0 ? results : [...results, { role: 'user', content: parts }]
}

function toToolMessage({ tool_use_id: id, content = '', is_error: failed }: Json, at: string): Json {
  if (typeof id !== 'string') throw new InvalidRequest(`${at}.content`, 'a tool_result has no tool_use_id')
  const place = `${at}.content`
  const text =
    typeof content === 'string'
      ? content
      : blocksOf(content, place)
          .map((block) => textOf(block, place))
          .join('\n')
  return { role: 'tool', tool_call_id: id, content: failed === true ? `Error: ${text}` : text }
}

function toPart(block: Json, at: string): Json {
  if (block.type !== 'image') return { type: 'text', text: textOf(block, `${at}.content`) }
  const { type, media_type: mediaType, data, url } = isObject(block.source) ? block.source : {}
  if (type === 'url' && typeof url === 'string') return { type: 'image_url', image_url: { url } }
  if (type === 'base64' && typeof mediaType === 'string' && typeof data === 'string')
    return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } }
  throw new InvalidRequest(`${at}.content`, 'an image must have a source of type base64 or url')
}

function fromAssistant(blocks: readonly Json[], at: string): Json {
  const texts: string[] = []
  const calls: Json[] = []
  for (const block of blocks) {
    const { type, id, name, input } = block
    if (type === 'thinking' || type === 'redacted_thinking') continue
    if (type !== 'tool_use') texts.push(textOf(block, `${at}.content`))
    else if (typeof id !== 'string' || typeof name !== 'string')
      throw new InvalidRequest(`${at}.content`, 'a tool_use must have id and name')
    else calls.push({ id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } })
  }
  const content = texts.length === 0 && calls.length > 0 ? null : texts.join('')
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

function toOutput(config: unknown): Json {
  const { effort, format } = isObject(config) ? config : {}
  const { type, schema } = isObject(format) ? format : {}
  if (isObject(format) && type !== 'json_schema')
    throw new InvalidRequest('output_config.format.type', 'must be json_schema')
  return withoutUndefined({
    // The largest effort of chat completions.
    reasoning_effort: effort === 'xhigh' || effort === 'max' ? 'high' : (effort ?? undefined),
    response_format: type === 'json_schema' ? { type, json_schema: { name: 'answer', schema } } : undefined,
  })
}

function toTools(tools: unknown, choice: unknown): Json {
  if (tools === undefined) return {}
  if (!Array.isArray(tools)) throw new InvalidRequest('tools', 'must be a list')
  const functions = tools.map((tool: unknown, index) => {
    const { type = 'custom', name, description, input_schema: parameters } = isObject(tool) ? tool : {}
    if (type !== 'custom' || typeof name !== 'string')
      throw new InvalidRequest(
        `tools[${index}]`,
        'must be a tool with name and input_schema; tools that the provider runs are not supported',
      )
    return { type: 'function', function: withoutUndefined({ name, description, parameters }) }
  })
  return functions.length === 0 ? {} : { tools: functions, ...toToolChoice(choice) }
}

function toToolChoice(choice: unknown): Json {
  if (choice === undefined) return {}
  const { type, name, disable_parallel_tool_use: alone } = isObject(choice) ? choice : {}
  const known: Readonly<Record<string, unknown>> = {
    auto: 'auto',
    any: 'required',
    none: 'none',
    tool: { type: 'function', function: { name } },
  }
  if (typeof type !== 'string' || !Object.hasOwn(known, type))
    throw new InvalidRequest('tool_choice.type', 'must be auto, any, tool or none')
  return { tool_choice: known[type], ...(alone === true ? { parallel_tool_calls: false } : {}) }
}

function blocksOf(value: unknown, at: string): readonly Json[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw new InvalidRequest(at, 'must be a string or a list of blocks')
  return value
}

function textOf({ type, text }: Json, at: string): string {
  if (type === 'text' && typeof text === 'string') return text
  const named = typeof type === 'string' ? ` of type ${type.slice(0, 64).toWellFormed()}` : ''
  throw new InvalidRequest(at, `a block${named} is not supported here`)
}

function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
