import { isObject } from '../../../core/json/is-object.ts'
import { InvalidRequest } from '../../../core/model-apis/invalid-request.ts'

type Json = Readonly<Record<string, unknown>>

/** Limit of a response if the request has none: the Messages API requires one. */
const defaultMaxTokens = 8192

/** Translates a chat completion to a request of Anthropic's Messages API, for a provider that has only this API. Throws `InvalidRequest`. */
export function chatToMessages(body: Json): Json {
  refuseOthers(body)
  const { model, messages, temperature, top_p: topP, top_k: topK, stop, user, stream } = body
  if (!Array.isArray(messages)) throw new InvalidRequest('messages', 'must be a list')
  const given = messages.map((message: unknown, index) => readMessage(message, `messages[${index}]`))
  const system = given.filter(({ isSystem }) => isSystem).map(({ message, at }) => textOf(message.content, at))
  const turns = given.filter(({ isSystem }) => !isSystem).map(({ message, at }) => toTurn(message, at))
  return withoutUndefined({
    model,
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? defaultMaxTokens,
    system: system.length === 0 ? undefined : system.join('\n\n'),
    messages: joinTurns(turns),
    temperature: temperature ?? undefined,
    top_p: topP ?? undefined,
    top_k: topK ?? undefined,
    stop_sequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    metadata: typeof user === 'string' ? { user_id: user } : undefined,
    output_config: toOutput(body),
    ...toTools(body),
    stream: stream === true ? true : undefined,
  })
}

// Dropping such a field would change the response silently. A seed is best effort by definition.
function refuseOthers({ n, logprobs, presence_penalty: presence, frequency_penalty: frequency }: Json): void {
  if ((n ?? 1) !== 1) throw new InvalidRequest('n', 'must be 1 for this provider')
  if ((logprobs ?? false) !== false) throw new InvalidRequest('logprobs', 'is not supported by this provider')
  if ((presence ?? 0) !== 0) throw new InvalidRequest('presence_penalty', 'is not supported by this provider')
  if ((frequency ?? 0) !== 0) throw new InvalidRequest('frequency_penalty', 'is not supported by this provider')
}

interface Given {
  readonly message: Json
  readonly at: string
  readonly isSystem: boolean
}

function readMessage(message: unknown, at: string): Given {
  if (!isObject(message)) throw new InvalidRequest(at, 'must be an object')
  return { message, at, isSystem: message.role === 'system' || message.role === 'developer' }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Json[]
}

function toTurn(message: Json, at: string): Turn {
  const { role } = message
  if (role === 'assistant') return { role, content: fromAssistant(message, at) }
  if (role === 'tool') return { role: 'user', content: [toResult(message, at)] }
  if (role !== 'user')
    throw new InvalidRequest(`${at}.role`, 'must be system, developer, user, assistant or tool for this provider')
  return { role, content: partsOf(message.content, `${at}.content`).map((part) => toBlock(part, `${at}.content`)) }
}

// Results of tools must be in a single message after their calls.
function joinTurns(turns: readonly Turn[]): Json[] {
  const joined: { role: string; content: Json[] }[] = []
  for (const { role, content } of turns) {
    const last = joined.at(-1)
    if (last?.role === role) last.content.push(...content)
    else joined.push({ role, content: [...content] })
  }
  return joined
}

function fromAssistant({ content, tool_calls: given }: Json, at: string): Json[] {
  const text = textOf(content ?? '', `${at}.content`)
  const calls = given ?? []
  if (!Array.isArray(calls)) throw new InvalidRequest(`${at}.tool_calls`, 'must be a list')
  const blocks = calls.map((call: unknown, index) => toUse(call, `${at}.tool_calls[${index}]`))
  // An empty text is refused by the provider.
  return text === '' ? blocks : [{ type: 'text', text }, ...blocks]
}

function toUse(call: unknown, at: string): Json {
  const { id, function: fn } = isObject(call) ? call : {}
  const { name, arguments: json } = isObject(fn) ? fn : {}
  if (typeof id !== 'string' || typeof name !== 'string') throw new InvalidRequest(at, 'must have id and function.name')
  return { type: 'tool_use', id, name, input: toInput(json, `${at}.function.arguments`) }
}

function toInput(json: unknown, at: string): unknown {
  try {
    const input: unknown = JSON.parse(typeof json === 'string' && json !== '' ? json : '{}')
    if (isObject(input)) return input
  } catch {
    // Falls through to the error below.
  }
  throw new InvalidRequest(at, 'must be a JSON object for this provider')
}

function toResult({ tool_call_id: id, content }: Json, at: string): Json {
  if (typeof id !== 'string') throw new InvalidRequest(`${at}.tool_call_id`, 'is missing')
  return { type: 'tool_result', tool_use_id: id, content: textOf(content ?? '', `${at}.content`) }
}

function partsOf(content: unknown, at: string): readonly Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content) && content.every(isObject)) return content
  throw new InvalidRequest(at, 'must be a string or a list of parts')
}

function textOf(content: unknown, at: string): string {
  const texts = partsOf(content, at).map(({ type, text, refusal }) => {
    if (type === 'text' && typeof text === 'string') return text
    if (type === 'refusal' && typeof refusal === 'string') return refusal
    throw new InvalidRequest(at, 'must be a string for this provider')
  })
  return texts.join('')
}

function toBlock({ type, text, image_url: image }: Json, at: string): Json {
  if (type === 'text' && typeof text === 'string') return { type, text }
  const url = isObject(image) ? image.url : undefined
  if (type !== 'image_url' || typeof url !== 'string')
    throw new InvalidRequest(at, 'must be parts of type text or image_url for this provider')
  if (!url.startsWith('data:')) return { type: 'image', source: { type: 'url', url } }
  const end = url.indexOf(';base64,')
  if (end === -1 || end > 100) throw new InvalidRequest(at, 'an image must be an address or base64')
  return { type: 'image', source: { type: 'base64', media_type: url.slice(5, end), data: url.slice(end + 8) } }
}

function toOutput({ response_format: format, reasoning_effort: effort }: Json): Json | undefined {
  const { type, json_schema: named } = isObject(format) ? format : {}
  if (type === 'json_object') throw new InvalidRequest('response_format', 'must be json_schema for this provider')
  const schema = type === 'json_schema' && isObject(named) ? { type, schema: named.schema } : undefined
  // The provider has no smaller effort.
  const level = effort === 'minimal' || effort === 'none' ? 'low' : (effort ?? undefined)
  if (schema === undefined && level === undefined) return undefined
  return withoutUndefined({ format: schema, effort: level })
}

function toTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Json): Json {
  if (tools === undefined || tools === null) return {}
  if (!Array.isArray(tools)) throw new InvalidRequest('tools', 'must be a list')
  if (tools.length === 0) return {}
  const translated = tools.map((tool: unknown, index) => {
    const { name, description, parameters } = isObject(tool) && isObject(tool.function) ? tool.function : {}
    if (typeof name !== 'string') throw new InvalidRequest(`tools[${index}]`, 'must be a function with a name')
    return withoutUndefined({ name, description, input_schema: parameters ?? { type: 'object' } })
  })
  const wanted = toChoice(choice)
  if (parallel !== false || wanted.type === 'none') return { tools: translated, tool_choice: wanted }
  return { tools: translated, tool_choice: { ...wanted, disable_parallel_tool_use: true } }
}

function toChoice(choice: unknown): Json {
  if (choice === undefined || choice === null || choice === 'auto') return { type: 'auto' }
  if (choice === 'required') return { type: 'any' }
  if (choice === 'none') return { type: 'none' }
  const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  if (typeof name !== 'string') throw new InvalidRequest('tool_choice', 'must be auto, required, none or a function')
  return { type: 'tool', name }
}

function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
