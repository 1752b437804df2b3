import { isObject } from '../json/is-object.ts'

type Json = Readonly<Record<string, unknown>>

/** A request of the Messages API as rules see it: in the form of a chat completion, with each of its texts. */
export interface MessagesView {
  readonly body: Json
  /** The request with the messages as the rules leave them. Throws `TypeError` for a change of anything but texts. */
  restore(changed: Json): Json
}

/** Blocks of one message that are one message of the view, or its content as a whole. */
interface Group {
  readonly role: unknown
  readonly content: unknown
  /** Result of a tool, which is a message of its own in a chat completion. */
  readonly result?: Json
}

/** Creates the view. Documents of plain text have it as `text`, since `data` of others is no text. */
export function viewMessages(given: Json): MessagesView {
  const system = given.system === undefined ? [] : [{ role: 'system', content: plainOut(given.system) }]
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
      const newSystem = system.length === 0 ? {} : { system: plainIn(contents.shift()) }
      const restored = turns.map((groups, index) => {
        const message = (given.messages as readonly Json[])[index]
        if (!Array.isArray(message?.content)) return { ...message, content: plainIn(contents.shift()) }
        return { ...message, content: groups.flatMap((group) => blocksOf(group, contents.shift())) }
      })
      return { ...given, ...newSystem, messages: restored }
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
  if (result === undefined) return { role, content: plainOut(content) }
  return { role: 'tool', tool_call_id: result.tool_use_id, content: plainOut(content) }
}

function blocksOf({ result }: Group, content: unknown): readonly unknown[] {
  const restored = plainIn(content)
  if (result !== undefined) return [restored === undefined ? result : { ...result, content: restored }]
  return Array.isArray(restored) ? restored : []
}

// Only texts can be changed: whatever is added or removed has no place in the request.
function contentsOf(changed: Json, given: Json): unknown[] {
  const [now, before] = [changed.messages, given.messages] as [readonly Json[], readonly Json[]]
  const isSame = (key: string): boolean =>
    key === 'messages' || changed[key] === given[key] || JSON.stringify(changed[key]) === JSON.stringify(given[key])
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

function toFunction(tool: unknown): unknown {
  if (!isObject(tool) || (tool.type ?? 'custom') !== 'custom') return tool
  const { name, description, input_schema: parameters } = tool
  return { type: 'function', function: { name, description, parameters } }
}

function plainOut(value: unknown): unknown {
  return mapSources(value, (source) => {
    const { data, ...rest } = source
    return source.type === 'text' && 'data' in source ? { ...rest, text: data } : source
  })
}

function plainIn(value: unknown): unknown {
  return mapSources(value, (source) => {
    const { text, ...rest } = source
    return source.type === 'text' && 'text' in source ? { ...rest, data: text } : source
  })
}

// Documents are blocks of a message or of the result of a tool.
function mapSources(value: unknown, change: (source: Json) => Json): unknown {
  if (!Array.isArray(value)) return value
  return value.map((block: unknown) =>
    isObject(block) && block.type === 'document' && isObject(block.source)
      ? { ...block, source: change(block.source) }
      : block,
  )
}
