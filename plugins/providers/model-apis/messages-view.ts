import { isObject } from '../../../core/json/is-object.ts'

type Json = Readonly<Record<string, unknown>>

/** A request of the Messages API as guardrail rules see it: in the format of a chat completion, with all its strings. */
export interface MessagesView {
  readonly body: Json
  /** Returns the request with the messages as changed by rules. Throws `TypeError` for a change of anything but strings. */
  restore(changed: Json): Json
}

/** Blocks of a message that form one message of the view, or the whole content of a message. */
interface Group {
  readonly role: unknown
  readonly content: unknown
  /** Result of a tool, which is its own message in a chat completion. */
  readonly result?: Json
}

/** Creates the view. */
export function viewMessages(given: Json): MessagesView {
  const system = given.system === undefined ? [] : [{ role: 'system', content: given.system }]
  const turns = (given.messages as readonly Json[]).map((message) => groupsOf(message))
  const messages = [...system, ...turns.flat().map(toChat)]
  const { system: _, ...rest } = given
  const body: Json = {
    ...rest,
    messages,
    ...(Array.isArray(given.tools) ? { tools: given.tools.map(toFunction) } : {}),
  }
  return {
    body,
    restore(changed) {
      if (changed === body) return given
      const contents = contentsOf(changed, body)
      const newSystem = system.length === 0 ? {} : { system: contents.shift() }
      const restored = turns.map((groups, index) => {
        const message = (given.messages as readonly Json[])[index]
        if (!Array.isArray(message?.content)) return { ...message, content: contents.shift() }
        return { ...message, content: groups.flatMap((group) => blocksOf(group, contents.shift())) }
      })
      const { messages: _messages, tools, ...others } = changed
      const newTools = Array.isArray(given.tools) ? { tools: toTools(given.tools, tools) } : {}
      return { ...given, ...others, ...newSystem, messages: restored, ...newTools }
    },
  }
}

function groupsOf({ role, content }: Json): readonly Group[] {
  if (!Array.isArray(content)) return [{ role, content }]
  const groups: { role: unknown; content: unknown[]; result?: Json }[] = []
  for (const block of content) {
    const last = groups.at(-1)
    if (isObject(block) && block.type === 'tool_result') groups.push({ role, content: [], result: block })
    else if (last === undefined || last.result !== undefined) groups.push({ role, content: [block] })
    else last.content.push(block)
  }
  return groups.map(({ result, ...group }) =>
    result === undefined ? group : { ...group, content: result.content, result },
  )
}

function toChat({ role, content, result }: Group): Json {
  if (result === undefined) return { role, content: content }
  return { role: 'tool', tool_call_id: result.tool_use_id, content: content }
}

function blocksOf({ result }: Group, content: unknown): readonly unknown[] {
  if (result !== undefined) return [content === undefined ? result : { ...result, content }]
  return Array.isArray(content) ? content : []
}

// Only strings can be changed: an added or removed part has no place in the request.
function contentsOf(changed: Json, given: Json): unknown[] {
  const [now, before] = [changed.messages, given.messages] as [readonly Json[], readonly Json[]]
  const isSame = (key: string): boolean =>
    key === 'messages' || changed[key] === given[key] || shapeOf(changed[key]) === shapeOf(given[key])
  const keys = new Set([...Object.keys(changed), ...Object.keys(given)])
  const sameForm =
    now.length === before.length &&
    now.every((message, index) => shapeOf(message) === shapeOf(before[index])) &&
    [...keys].every(isSame)
  if (!sameForm) throw new TypeError('only texts of a request of the Messages API can be changed')
  return now.map(({ content }) => content)
}

function shapeOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? '' : one)) ?? ''
}

function toTools(given: readonly unknown[], changed: unknown): readonly unknown[] {
  return given.map((tool, index) => {
    const now: unknown = Array.isArray(changed) ? changed[index] : undefined
    if (!isObject(now) || !isObject(now.function) || !isObject(tool)) return now ?? tool
    const { name, description, parameters } = now.function
    const fields = Object.entries({ name, description, input_schema: parameters })
    return { ...tool, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) }
  })
}

function toFunction(tool: unknown): unknown {
  if (!isObject(tool) || (tool.type ?? 'custom') !== 'custom') return tool
  const { name, description, input_schema: parameters } = tool
  return { type: 'function', function: { name, description, parameters } }
}
