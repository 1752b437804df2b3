import { isObject } from '#core/json/is-object.ts'
import { mapStrings } from './map-strings.ts'
import type { BodyString } from './map-strings.ts'
import { TextView } from './text-view.ts'

type Body = Readonly<Record<string, unknown>>

/** Strings of a body that form one text, since a model reads them one after the other. */
export interface BodyText {
  /** The strings, each on its own line; arguments of a tool call as JSON without escapes. */
  readonly lines: TextView
  /** The parts of the messages joined without a separator; undefined for fewer than two. */
  readonly joined: TextView | undefined
  /** Whether it is the result of a tool. */
  readonly isResult: boolean
}

/** A request as rules read it. */
export interface BodyTexts {
  readonly texts: readonly BodyText[]
  /** The parts of all messages, and those of each role: a key may be split over them. */
  readonly across: readonly TextView[]
  /** The body as it was read: a duplicate name in arguments occurs once. */
  readonly written: Body
  /** Returns the body with changed strings, by their index in the views. */
  replaced(changed: ReadonlyMap<number, (text: string) => string>): Body
}

/** Reads a request of any API. Throws `UnreadableBody`. */
export function readTexts(body: Body): BodyTexts {
  const groups = new Map<string, Group>()
  const across = new Map<string, TextView>()
  const groupOf = createGrouping(body)
  let count = 0
  let isRewritten = false
  const visit = (one: BodyString): string => {
    const { key, isResult, isPart, role } = groupOf(one)
    const group = groups.get(key) ?? { lines: new TextView(), joined: new TextView(), isResult }
    groups.set(key, group)
    if (one.json === undefined) group.lines.line(count, one.text)
    else group.lines.json(count, one)
    if (isPart) group.joined.part(count, one.text)
    if (isPart && role !== undefined)
      for (const name of ['all', `role ${role}`]) viewOf(across, name).part(count, one.text)
    count++
    return one.text
  }
  const written = mapStrings(body, visit, () => (isRewritten = true))
  return {
    written: isRewritten ? written : body,
    texts: [...groups.values()].map(toText),
    // The messages of a single role already form one text.
    across: across.size < 3 ? [] : [...across.values()].filter(({ size }) => size > 1),
    replaced(changed) {
      let next = 0
      return mapStrings(body, ({ text }) => changed.get(next++)?.(text) ?? text)
    },
  }
}

/** A string of a body on its own. */
export interface SingleText {
  readonly text: string
  /** Whether it belongs to the result of a tool. */
  readonly isResult: boolean
}

/** Lists the strings of a request one by one, for checks that replace them. Throws `UnreadableBody`. */
export function listStrings(body: Body): readonly SingleText[] {
  const groupOf = createGrouping(body)
  const found: SingleText[] = []
  mapStrings(body, (one) => {
    found.push({ text: one.text, isResult: groupOf(one).isResult })
    return one.text
  })
  return found
}

/** Returns the request with replaced strings, in the order of `listStrings`. */
export function replaceStrings(body: Body, texts: readonly string[]): Body {
  let next = 0
  return mapStrings(body, ({ text }) => texts[next++] ?? text)
}

interface Group {
  readonly lines: TextView
  readonly joined: TextView
  readonly isResult: boolean
}

function viewOf(views: Map<string, TextView>, name: string): TextView {
  const view = views.get(name) ?? new TextView()
  views.set(name, view)
  return view
}

function toText({ lines, joined, isResult }: Group): BodyText {
  return { lines, joined: joined.size > 1 ? joined : undefined, isResult }
}

/** Paths of strings that a model reads as one text: contents of messages, tool results and documents. */
const partPath =
  /^\/(?:system|messages\/\*\/content)(?:\/\*\/(?:text|content(?:\/\*\/text)?|source\/(?:data|content(?:\/\*\/text)?)))?$/

interface Grouping {
  readonly key: string
  readonly isResult: boolean
  readonly isPart: boolean
  /** Role of the message that contains the string. */
  readonly role: string | undefined
}

// Consecutive messages of one role form one text; so does each input of an embedding, and each tool result in a message. Other fields of
// messages are kept apart, so that none of them separates two parts.
function createGrouping({ messages }: Body): (one: BodyString) => Grouping {
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : []
  const runs = runsOf(list)
  return ({ pointer, path, kind, json }) => {
    const [, field = '', index = '', inner = '', part = ''] = pointer.split('/', 5)
    const isPart = kind === 'string' && partPath.test(path)
    const message = field === 'messages' ? list[Number(index)] : undefined
    const group = (key: string, isResult = false): Grouping => ({
      key: isPart ? key : `${key} fields`,
      isResult,
      isPart,
      role: isObject(message) ? String(message.role) : undefined,
    })
    if (json !== undefined) return group(json)
    if (field === 'input') return group(`${field}/${index}`)
    if (!isObject(message)) return group(field === 'system' ? field : 'rest')
    const block: unknown = inner === 'content' && Array.isArray(message.content) ? message.content[Number(part)] : null
    if (isObject(block) && block.type === 'tool_result') return group(`${index}/${part}`, true)
    return group(`run ${runs[Number(index)]}`, message.role === 'tool' || message.role === 'function')
  }
}

function runsOf(messages: readonly unknown[]): readonly number[] {
  let run = -1
  let role: unknown
  return messages.map((message, index) => {
    const next = isObject(message) ? message.role : undefined
    if (index === 0 || next !== role) run++
    role = next
    return run
  })
}
