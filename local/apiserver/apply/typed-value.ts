import { equalJson, isObject, setKey } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { fieldSchema } from '../schema/structural-schema.ts'
import { emptySet, insert, isEmpty } from './field-set.ts'
import type { FieldSet } from './field-set.ts'

/** Merge behaviour of a value; without a schema, maps merge by field and lists are atomic. */
type Shape = 'scalar' | 'atomic' | 'map' | 'list'

function shapeOf(value: Json | undefined, schema: JsonSchema | undefined): Shape {
  if (Array.isArray(value)) {
    const type = schema?.['x-kubernetes-list-type']
    return type === 'map' || type === 'set' ? 'list' : 'atomic'
  }
  if (!isObject(value)) return 'scalar'
  return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'map'
}

/** The path element of an item of an associative list; an absent key has its default. */
export function elementOf(item: Json, schema: JsonSchema | undefined): string {
  if (schema?.['x-kubernetes-list-type'] !== 'map' || !isObject(item)) return `v:${JSON.stringify(item)}`
  const keys: JsonObject = {}
  for (const key of [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort()) {
    const value = item[key] ?? schema.items?.properties?.[key]?.default
    if (value !== undefined) keys[key] = value
  }
  return `k:${JSON.stringify(keys)}`
}

type Child = readonly [element: string, value: Json, schema: JsonSchema | undefined]

function childrenOf(value: Json | undefined, schema: JsonSchema | undefined): Child[] {
  if (Array.isArray(value)) return value.map((item) => [elementOf(item, schema), item, schema?.items])
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]): Child[] =>
    item === undefined ? [] : [[`f:${key}`, item, fieldSchema(schema, key)]],
  )
}

/** Fields that a value sets: leaves, atomic values, empty maps, and map entries without a declared property. */
export function toFieldSet(value: Json, schema: JsonSchema | undefined): FieldSet {
  const set = emptySet()
  for (const [element, item, sub] of childrenOf(value, schema)) {
    const shape = shapeOf(item, sub)
    const below = shape === 'map' || shape === 'list' ? toFieldSet(item, sub) : emptySet()
    const named = element.startsWith('f:') && isNamed(schema, element)
    const empty = isObject(item) && Object.keys(item).length === 0
    const leaf = shape === 'scalar' || shape === 'atomic'
    if (leaf || empty || (element.startsWith('f:') && !named)) set.members.add(element)
    // An item of an associative list is a field itself if it sets any field.
    if (!leaf && element.startsWith('k:')) set.members.add(element)
    if (!isEmpty(below)) set.children.set(element, below)
  }
  return set
}

function isNamed(schema: JsonSchema | undefined, element: string): boolean {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, element.slice(2))
}

/** The set with all declared fields on the path to a member. */
export function withNamedFields(set: FieldSet, schema: JsonSchema | undefined): FieldSet {
  const members = new Set(set.members)
  const children = new Map<string, FieldSet>()
  for (const [element, child] of set.children) {
    const field = element.startsWith('f:')
    if (field && isNamed(schema, element)) members.add(element)
    children.set(element, withNamedFields(child, field ? fieldSchema(schema, element.slice(2)) : schema?.items))
  }
  return { members, children }
}

/** Fields that a change adds, removes and modifies. */
export interface Comparison {
  readonly added: FieldSet
  readonly removed: FieldSet
  readonly modified: FieldSet
}

/** Compares two versions of an object field by field. */
export function compare(before: Json, after: Json, schema: JsonSchema | undefined): Comparison {
  const out = { added: emptySet(), removed: emptySet(), modified: emptySet() }
  compareAt({ before, after, schema, path: [] }, out)
  return out
}

interface Compared {
  readonly before: Json | undefined
  readonly after: Json | undefined
  readonly schema: JsonSchema | undefined
  readonly path: readonly string[]
}

function compareAt({ before, after, schema, path }: Compared, out: Comparison): void {
  if (before === undefined) insert(out.added, path)
  else if (after === undefined) insert(out.removed, path)
  // Null has the shape of the other value.
  const was = shapeOf(before ?? after, schema)
  const is = shapeOf(after ?? before, schema)
  const empty = (value: Json | undefined) =>
    value === undefined || value === null || childrenOf(value, schema).length === 0
  const leaf = (was === is && (was === 'scalar' || was === 'atomic')) || (empty(before) && empty(after))
  if (leaf) {
    if (before !== undefined && after !== undefined && !equalJson(before, after)) insert(out.modified, path)
    return
  }
  const olds = new Map(childrenOf(was === 'atomic' ? undefined : before, schema).map((child) => [child[0], child]))
  const news = new Map(childrenOf(is === 'atomic' ? undefined : after, schema).map((child) => [child[0], child]))
  if (was !== is && before !== undefined && after !== undefined) insert(out.modified, path)
  for (const element of new Set([...olds.keys(), ...news.keys()])) {
    const [old, now] = [olds.get(element), news.get(element)]
    compareAt({ before: old?.[1], after: now?.[1], schema: (now ?? old)?.[2], path: [...path, element] }, out)
  }
}

/** The live value with the applied one merged over it. */
export function merge(
  live: Json | undefined,
  applied: Json | undefined,
  schema: JsonSchema | undefined,
): Json | undefined {
  if (applied === undefined) return live
  if (live === undefined) return applied
  // An applied null does not remove the content of a live map or list: others may own it.
  if (applied === null && childrenOf(live, schema).length > 0) return live
  const shape = shapeOf(applied, schema)
  if (shape !== shapeOf(live, schema)) return applied
  if (shape === 'map' && isObject(live) && isObject(applied)) {
    const out: JsonObject = {}
    for (const key of new Set([...Object.keys(live), ...Object.keys(applied)])) {
      const value = merge(own(live, key), own(applied, key), fieldSchema(schema, key))
      if (value !== undefined) setKey(out, key, value)
    }
    return out
  }
  return shape === 'list' && Array.isArray(live) && Array.isArray(applied) ? mergeLists(live, applied, schema) : applied
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Applied items keep their order; live items keep their position relative to the shared ones. */
function mergeLists(live: Json[], applied: Json[], schema: JsonSchema | undefined): Json[] {
  const [lefts, rights] = [live.map((item) => elementOf(item, schema)), applied.map((item) => elementOf(item, schema))]
  const places = new Map(lefts.map((element, i): [string, number] => [element, i]).toReversed())
  const wanted = new Set(rights)
  const shared = rights.filter((element) => places.has(element))
  const merged = new Set<string>()
  const out: Json[] = []
  const take = (l: number, r: number) => {
    const value = merge(live[l], applied[r], schema?.items)
    if (value !== undefined) out.push(value)
  }
  let [l, r, s] = [0, 0, 0]
  while (l < lefts.length || r < rights.length) {
    const [left, right, next] = [lefts[l], rights[r], shared[s]]
    if (left !== undefined && left === right) {
      merged.add(left)
      take(l++, r++)
      s += 1
    } else if (left !== undefined && right !== undefined && wanted.has(left) && next !== undefined && next !== left) {
      l += 1
    } else if (left !== undefined && !wanted.has(left)) {
      take(l++, -1)
    } else {
      if (left !== undefined && merged.has(left)) l += 1
      if (right === undefined) continue
      merged.add(right)
      take(places.get(right) ?? -1, r++)
      if (next === right) s += 1
    }
  }
  return out
}

/** The value without the fields of the set; a container without content is removed. */
export function removeFields(value: Json, set: FieldSet, schema: JsonSchema | undefined): Json | undefined {
  if (isEmpty(set)) return value
  const shape = shapeOf(value, schema)
  if (shape === 'scalar') return value
  if (childrenOf(value, schema).length === 0 || shape === 'atomic') return undefined
  const kept = childrenOf(value, schema).flatMap(([element, item, sub]): [string, Json][] => {
    if (set.members.has(element)) return []
    const below = set.children.get(element)
    const rest = below ? removeFields(item, below, sub) : item
    // As in kube-apiserver, a value that loses all fields becomes null.
    return [[element, rest ?? null]]
  })
  if (kept.length === 0) return undefined
  if (Array.isArray(value)) return kept.map(([, item]) => item)
  const out: JsonObject = {}
  for (const [element, item] of kept) setKey(out, element.slice(2), item)
  return out
}
