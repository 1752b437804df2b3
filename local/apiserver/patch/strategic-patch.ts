import { equalityKey, isObject, setKey } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** Thrown when a directive or a list of a strategic patch is malformed; `code` as in kube-apiserver. */
export class BadStrategicPatch extends Error {
  readonly code: 400 | 422 | 500
  constructor(message: string, code: 400 | 422 | 500) {
    super(message)
    this.code = code
  }
}

const ORDER = '$setElementOrder/'
const DELETE_FROM = '$deleteFromPrimitiveList/'

/** Applies a strategic merge patch in place (both arguments are owned by the callee) and returns the document. */
export function applyStrategicPatch(
  original: JsonObject,
  patch: JsonObject,
  schema: JsonSchema | undefined,
): JsonObject {
  const directive = patch['$patch']
  if (directive === 'replace') return withoutKey(patch, '$patch')
  if (directive === 'delete') return {}
  if (directive !== undefined) throw new BadStrategicPatch(`unknown patch type: ${String(directive)}`, 500)
  retainKeys(original, patch)
  orderedLists(original, patch, schema)
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM)) deleteFromPrimitives(original, key.slice(DELETE_FROM.length), value)
    else if (value === null || value === undefined) delete original[key]
    else mergeKey(original, key, value, childSchema(schema, key))
  }
  return original
}

function mergeKey(original: JsonObject, key: string, value: Json, schema: JsonSchema | undefined): void {
  const before = Object.hasOwn(original, key) ? original[key] : undefined
  const strategy = strategies(schema)
  if (isObject(before) && isObject(value)) {
    setKey(original, key, strategy.has('replace') ? value : applyStrategicPatch(before, value, schema))
  } else if (Array.isArray(before) && Array.isArray(value)) {
    setKey(original, key, strategy.has('merge') ? mergeLists(before, value, schema) : value)
  } else {
    const clean = withoutDirectives(value)
    if (clean === undefined) delete original[key]
    else setKey(original, key, clean)
  }
}

function strategies(schema: JsonSchema | undefined): ReadonlySet<string> {
  return new Set((schema?.['x-kubernetes-patch-strategy'] ?? '').split(','))
}

function childSchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const values = schema?.additionalProperties
  return schema?.properties?.[key] ?? (typeof values === 'object' ? values : undefined)
}

function mergeLists(original: Json[], patch: Json[], schema: JsonSchema | undefined): Json[] {
  if (original.length === 0 && patch.length === 0) return original
  const key = schema?.['x-kubernetes-patch-merge-key'] ?? ''
  const scalar = ![...original, ...patch].some(isObject)
  const { kept, added } = scalar ? { kept: original, added: patch } : specialElements(original, patch, key)
  const merged = scalar ? distinct([...kept, ...added]) : mergeMaps(kept, added, key, schema)
  return inOrder(merged, added, original, scalar ? '' : key)
}

function mergeMaps(original: Json[], patch: Json[], key: string, schema: JsonSchema | undefined): Json[] {
  const out = [...original]
  const places = placesOf(out, key)
  for (const item of patch) {
    const wanted = equalityKey(keyOf(item, key))
    const at = places.get(wanted) ?? -1
    const before = out[at]
    if (isObject(before) && isObject(item)) {
      out[at] = applyStrategicPatch(before, item, schema?.items)
      continue
    }
    out.push(item)
    if (at < 0) places.set(wanted, out.length - 1)
  }
  return out
}

function specialElements(original: Json[], patch: Json[], key: string): { kept: Json[]; added: Json[] } {
  const gone = new Set<string>()
  const added: Json[] = []
  let replace = false
  for (const item of patch) {
    const directive = isObject(item) ? item['$patch'] : undefined
    if (directive === undefined) added.push(item)
    else if (directive === 'replace') replace = true
    else if (directive === 'delete') gone.add(equalityKey(keyOf(item, key)))
    else throw new BadStrategicPatch('merging lists cannot yet be specified in the patch', 500)
  }
  if (replace) return { kept: added, added: [] }
  const kept = gone.size === 0 ? original : original.filter((each) => !gone.has(equalityKey(keyOf(each, key))))
  return { kept, added }
}

function keyOf(item: Json | undefined, key: string): Json {
  if (key === '') return item ?? null
  const value = isObject(item) ? item[key] : undefined
  if (value === undefined) throw new BadStrategicPatch(`a list item lacks the merge key ${key}`, 500)
  return value
}

/** First index of each key. */
function placesOf(list: Json[], key: string): Map<string, number> {
  const places = new Map<string, number>()
  for (const [i, item] of list.entries()) {
    const text = equalityKey(keyOf(item, key))
    if (!places.has(text)) places.set(text, i)
  }
  return places
}

/** Items of `order` in that order, the others relative to their position in the live list, as in kube-apiserver. */
function inOrder(items: Json[], order: Json[], live: Json[], key: string): Json[] {
  const [ordered, before] = [placesOf(order, key), placesOf(live, key)]
  const ranked = items.map((item) => {
    const text = equalityKey(keyOf(item, key))
    return { item, inOrder: ordered.get(text) ?? -1, inLive: before.get(text) ?? -1 }
  })
  const right = ranked.filter((each) => each.inOrder >= 0).sort((a, b) => a.inOrder - b.inOrder)
  const left = ranked
    .filter((each) => each.inOrder < 0)
    .sort((a, b) => (a.inLive < 0 || b.inLive < 0 ? 0 : a.inLive - b.inLive))
  const out: Json[] = []
  let [l, r] = [0, 0]
  for (;;) {
    const [a, b] = [left[l], right[r]]
    if (!a || !b) break
    const takesLeft = a.inLive >= 0 && b.inLive >= 0 && a.inLive < b.inLive
    out.push(takesLeft ? a.item : b.item)
    if (takesLeft) l += 1
    else r += 1
  }
  return [...out, ...[...left.slice(l), ...right.slice(r)].map(({ item }) => item)]
}

function orderedLists(original: JsonObject, patch: JsonObject, schema: JsonSchema | undefined): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ORDER)) continue
    delete patch[directive]
    if (!Array.isArray(order)) throw new BadStrategicPatch('invalid $setElementOrder', 500)
    const field = directive.slice(ORDER.length)
    const [live, given] = [original[field], patch[field]]
    const sub = childSchema(schema, field)
    const key = sub?.['x-kubernetes-patch-merge-key'] ?? ''
    delete patch[field]
    if (given === undefined && live === undefined) continue
    const before = Array.isArray(live) ? [...live] : []
    if (Array.isArray(given)) mergeKey(original, field, given, sub)
    else if (given === null) delete original[field]
    const merged = original[field]
    if (Array.isArray(merged)) original[field] = inOrder(merged, order, before, key)
  }
}

function retainKeys(original: JsonObject, patch: JsonObject): void {
  const keep = patch['$retainKeys']
  if (keep === undefined) return
  delete patch['$retainKeys']
  const named = new Set(Array.isArray(keep) ? keep : [])
  const stray = Object.keys(patch).some((key) => patch[key] !== null && !key.startsWith('$') && !named.has(key))
  if (!Array.isArray(keep) || stray) throw new BadStrategicPatch('invalid patch format of retainKeys', 400)
  for (const key of Object.keys(original)) if (!named.has(key)) delete original[key]
}

function deleteFromPrimitives(original: JsonObject, key: string, gone: Json | undefined): void {
  const list = original[key]
  if (!Array.isArray(list) || !Array.isArray(gone)) return
  const names = new Set(gone.map(equalityKey))
  original[key] = list.filter((item) => !names.has(equalityKey(item)))
}

function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  if (value['$patch'] !== undefined) return undefined
  for (const [key, child] of Object.entries(value)) {
    const clean = child === null || child === undefined ? undefined : withoutDirectives(child)
    if (clean === undefined) delete value[key]
    else setKey(value, key, clean)
  }
  return value
}

function withoutKey(object: JsonObject, key: string): JsonObject {
  delete object[key]
  return object
}

function distinct(list: Json[]): Json[] {
  const seen = new Set<string>()
  return list.filter((item) => seen.size !== seen.add(equalityKey(item)).size)
}
