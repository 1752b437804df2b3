import { pointerToken } from '#schemas/values/json-pointer.ts'
import { isObject } from '#core/json/is-object.ts'
import { writeLike } from '#core/json/write-like.ts'
import { decodeBase64, encodeBase64, exemptionOf } from './exact-paths.ts'
import { isFieldWord } from './field-words.ts'
import { UnreadableBody } from './unreadable-body.ts'

/** A string of a body that rules see. */
export interface BodyString {
  /** JSON pointer of the string; for a name, that of its value. */
  readonly pointer: string
  /** The pointer with `*` for each index of a list. */
  readonly path: string
  readonly kind: 'string' | 'name' | 'number' | 'literal'
  readonly text: string
  /** Pointer of the arguments of the tool call that it belongs to. */
  readonly json: string | undefined
}

/** Returns the text unchanged, or another one. The text of a literal is never replaced. */
export type VisitString = (one: BodyString) => string

/** Maximum depth that is read, in a body and in the arguments of a tool call. */
const MAX_DEPTH = 128

/** Maximum nesting of strings with JSON that are read as JSON. */
const MAX_NESTED = 4

/** Arguments of tool calls as JSON in a string, and as an object. */
const encodedArguments = /^\/messages\/\*\/(?:tool_calls\/\*\/function|function_call)\/arguments$/
const plainArguments = /^\/messages\/\*\/content\/\*\/input$/

interface Place extends Pick<BodyString, 'pointer' | 'path' | 'json'> {
  readonly depth: number
  /** Number of strings with JSON that enclose the value. */
  readonly nested: number
  readonly onRewritten?: (() => void) | undefined
  /** The object that contains the value. */
  readonly siblings: Readonly<Record<string, unknown>>
}

const root: Place = { pointer: '', path: '', json: undefined, depth: 0, nested: 0, siblings: {} }

/**
 * Copies a model request with each string replaced by what `visit` returns, in the order of the body. Strings are the values and names of
 * fields, numbers below the first level, and the strings within tool call arguments; the paths of `exact-paths.ts` are exempt. Throws
 * `UnreadableBody`. `onRewritten` is called for arguments with a duplicate name, which are written differently even if no string changes.
 */
export function mapStrings(
  body: Readonly<Record<string, unknown>>,
  visit: VisitString,
  onRewritten?: () => void,
): Record<string, unknown> {
  return mapObject(body, { ...root, onRewritten }, visit)
}

/** The same for the arguments of one tool call: JSON in a string. */
export function mapArguments(json: string, visit: VisitString, pointer = '/arguments'): string {
  // A call without arguments, as some providers write it.
  if (json.trim() === '') return json
  const given = parse(json, pointer)
  const place = { ...root, pointer, path: pointer, json: pointer }
  // A duplicate name is written once, since only its last value was read.
  return writeLike(json, mapValue(given, place, visit))
}

function parse(json: string, pointer: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new UnreadableBody(pointer, 'must be JSON so that guardrails can read it')
  }
}

function mapValue(value: unknown, place: Place, visit: VisitString): unknown {
  if (typeof value === 'string') return mapString(value, place, visit)
  if (typeof value === 'number') return mapNumber(value, place, visit)
  if (typeof value !== 'object' || value === null) {
    if (place.json !== undefined) visit(toString(String(value), 'literal', place))
    return value
  }
  if (place.depth >= MAX_DEPTH) throw new UnreadableBody(place.pointer, `nests deeper than ${MAX_DEPTH} levels`)
  if (isObject(value)) return mapObject(value, place, visit)
  return (value as readonly unknown[]).map((one, index) =>
    mapValue(one, { ...below(place, String(index), '*'), siblings: place.siblings }, visit),
  )
}

function mapObject(given: Readonly<Record<string, unknown>>, place: Place, visit: VisitString) {
  const entries = Object.entries(given).map(([name, value]): [string, unknown] => {
    const key = pointerToken(name)
    const inner = { ...below(place, key, key), siblings: given }
    const isRead = inner.json !== undefined || !isFieldWord(name)
    const newName = isRead ? visit(toString(name, 'name', { ...inner, json: place.json })) : name
    return [newName, mapValue(value, inner, visit)]
  })
  return Object.fromEntries(entries)
}

function below(
  { pointer, path, json, depth, nested, onRewritten }: Place,
  key: string,
  step: string,
): Omit<Place, 'siblings'> {
  const inner = { pointer: `${pointer}/${key}`, path: `${path}/${step}`, depth: depth + 1, nested, onRewritten }
  return { ...inner, json: json ?? (plainArguments.test(inner.path) ? inner.pointer : undefined) }
}

function mapString(value: string, place: Place, visit: VisitString): string {
  const { pointer, path, json, siblings } = place
  if (json !== undefined) return mapNested(value, place, visit)
  if (encodedArguments.test(path)) return written(value, mapArguments(value, visit, pointer), place)
  const exemption = exemptionOf(path, value, siblings.media_type)
  if (exemption === 'plain') return value
  if (exemption === undefined) return visit(toString(value, 'string', place))
  const text = decodeBase64(value)
  const changed = visit(toString(text, 'string', place))
  return changed === text ? value : encodeBase64(value, changed)
}

// A string in arguments may be JSON, as for a tool that runs another tool. Anything else is one string.
function mapNested(value: string, place: Place, visit: VisitString): string {
  const inner = place.nested < MAX_NESTED ? parseNested(value) : undefined
  if (inner === undefined) return visit(toString(value, 'string', place))
  return written(value, writeLike(value, mapValue(inner, { ...place, nested: place.nested + 1 }, visit)), place)
}

function written(value: string, changed: string, { onRewritten }: Place): string {
  if (changed !== value) onRewritten?.()
  return changed
}

function parseNested(value: string): object | undefined {
  if (!/^\s*[{[]/.test(value)) return undefined
  try {
    return JSON.parse(value) as object
  } catch {
    return undefined
  }
}

// Numbers of the first level are parameters of the call.
function mapNumber(value: number, place: Place, visit: VisitString): unknown {
  if (place.depth < 2 && place.json === undefined) return value
  const text = String(value)
  const changed = visit(toString(text, 'number', place))
  return changed === text ? value : changed
}

function toString(text: string, kind: BodyString['kind'], { pointer, path, json }: Place): BodyString {
  return { pointer, path, kind, text, json }
}
