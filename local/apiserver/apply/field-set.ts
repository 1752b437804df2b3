import { isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

/**
 * A set of field paths, as in `fieldsV1`: `members` are path elements (`f:name`, `k:{...}`, `v:...`) in the set,
 * `children` the sets below an element.
 */
export interface FieldSet {
  readonly members: Set<string>
  readonly children: Map<string, FieldSet>
}

/** An empty set. */
export function emptySet(): FieldSet {
  return { members: new Set(), children: new Map() }
}

/** Adds one path. */
export function insert(set: FieldSet, path: readonly string[]): void {
  let node = set
  for (const element of path.slice(0, -1)) {
    let next = node.children.get(element)
    if (!next) node.children.set(element, (next = emptySet()))
    node = next
  }
  const last = path.at(-1)
  if (last !== undefined) node.members.add(last)
}

/** Union of two sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map(a.children)
  for (const [element, child] of b.children) {
    const mine = children.get(element)
    children.set(element, mine ? union(mine, child) : child)
  }
  return { members: joined(a.members, b.members), children }
}

/** Union of many sets, pairwise: each set is copied a logarithmic number of times. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first, second] = sets
  if (first === undefined) return emptySet()
  if (second === undefined) return first
  const half = sets.length >> 1
  return union(unionOf(sets.slice(0, half)), unionOf(sets.slice(half)))
}

function joined(a: Iterable<string>, b: Iterable<string>): Set<string> {
  return new Set([...a, ...b])
}

/** Intersection of two sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, {
    members: new Set([...a.members].filter((each) => b.members.has(each))),
    child: (mine, other) => other && intersection(mine, other),
  })
}

/** Difference of two sets; removing an element keeps the paths below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, {
    members: new Set([...a.members].filter((each) => !b.members.has(each))),
    child: (mine, other) => (other ? difference(mine, other) : mine),
  })
}

/** The first set without the elements of the second *and* everything below them. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  const rest = difference(a, b)
  for (const [element, inner] of b.children) {
    const kept = rest.children.get(element)
    if (kept) rest.children.set(element, without(kept, inner))
  }
  for (const [element, child] of rest.children)
    if (b.members.has(element) || isEmpty(child)) rest.children.delete(element)
  return rest
}

function combine(
  a: FieldSet,
  b: FieldSet,
  {
    members,
    child,
  }: { members: Set<string>; child: (mine: FieldSet, other: FieldSet | undefined) => FieldSet | undefined },
): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const [element, mine] of a.children) {
    const kept = child(mine, b.children.get(element))
    if (kept && !isEmpty(kept)) children.set(element, kept)
  }
  return { members, children }
}

/** True when no path is in the set. */
export function isEmpty(set: FieldSet): boolean {
  return set.members.size === 0 && [...set.children.values()].every(isEmpty)
}

/** All paths, a field before what is below it. */
export function paths(set: FieldSet, prefix: readonly string[] = []): string[][] {
  const elements = [...joined(set.members, set.children.keys())].sort()
  return [
    ...[...set.members].sort().map((element) => [...prefix, element]),
    ...elements.flatMap((element) => {
      const child = set.children.get(element)
      return child ? paths(child, [...prefix, element]) : []
    }),
  ]
}

/** The set as `fieldsV1`. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const out: JsonObject = {}
  for (const element of [...joined(set.members, set.children.keys())].sort()) {
    const child = set.children.get(element)
    const below = child ? toFieldsV1(child) : {}
    out[element] = child && set.members.has(element) && Object.keys(below).length > 0 ? { '.': {}, ...below } : below
  }
  return out
}

/** The set of a `fieldsV1`. */
export function fromFieldsV1(fields: Json | undefined): FieldSet {
  const set = emptySet()
  for (const [element, below] of Object.entries(isObject(fields) ? fields : {})) {
    if (element === '.' || !isObject(below)) continue
    const child = fromFieldsV1(below)
    if (Object.keys(below).length === 0 || below['.'] !== undefined) set.members.add(element)
    if (!isEmpty(child)) set.children.set(element, child)
  }
  return set
}

/** A path in the notation of conflicts: `.spec.env[name="a"].value`. */
export function showPath(path: readonly string[]): string {
  return path.map(showElement).join('')
}

function showElement(element: string): string {
  const body = element.slice(2)
  if (element.startsWith('f:')) return `.${body}`
  if (!element.startsWith('k:')) return element.startsWith('v:') ? `[=${body}]` : `[${body}]`
  const keys: JsonObject = JSON.parse(body)
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`
}
