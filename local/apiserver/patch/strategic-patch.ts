import type { Json, JsonObject, JsonSchema } from '../contract.ts'
import { equalJson, isObject, setKey } from './json-value.ts'

/** Thrown when a directive or a list of a strategic patch is malformed; `code` as the real server answers. */
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
  for (const item of patch) {
    const wanted = keyOf(item, key)
    const at = out.findIndex((each) => equalJson(keyOf(each, key), wanted))
    const before = out[at]
    if (isObject(before) && isObject(item)) out[at] = applyStrategicPatch(before, item, schema?.items)
    else out.push(item)
  }
  return out
}

function specialElements(original: Json[], patch: Json[], key: string): { kept: Json[]; added: Json[] } {
  let kept = original
  const added: Json[] = []
  let replace = false
  for (const item of patch) {
    const directive = isObject(item) ? item['$patch'] : undefined
    if (directive === undefined) added.push(item)
    else if (directive === 'replace') replace = true
    else if (directive === 'delete') kept = kept.filter((each) => !equalJson(keyOf(each, key), keyOf(item, key)))
    else throw new BadStrategicPatch('merging lists cannot yet be specified in the patch', 500)
  }
  return replace ? { kept: added, added: [] } : { kept, added }
}

function keyOf(item: Json | undefined, key: string): Json {
  if (key === '') return item ?? null
  const value = isObject(item) ? item[key] : undefined
  if (value === undefined)
    throw new BadStrategicPatch(`map: ${goValue(item)} does not contain declared merge key: ${key}`, 500)
  return value
}

/** Items of `order` first among themselves, the rest where the live list had them: the real server's best effort. */
function inOrder(items: Json[], order: Json[], live: Json[], key: string): Json[] {
  const at = (list: Json[], item: Json) => list.findIndex((each) => equalJson(keyOf(each, key), keyOf(item, key)))
  const sorted = (list: Json[], by: Json[]) =>
    list
      .map((item) => ({ item, rank: at(by, item) }))
      .sort((a, b) => (a.rank < 0 || b.rank < 0 ? 0 : a.rank - b.rank))
      .map((each) => each.item)
  const right = sorted(
    items.filter((item) => at(order, item) >= 0),
    order,
  )
  const left = sorted(
    items.filter((item) => at(order, item) < 0),
    live,
  )
  const out: Json[] = []
  while (left.length > 0 && right.length > 0) {
    const [l, r] = [at(live, left[0] ?? null), at(live, right[0] ?? null)]
    out.push((l >= 0 && r >= 0 && l < r ? left : right).shift() ?? null)
  }
  return [...out, ...left, ...right]
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
  if (Array.isArray(list) && Array.isArray(gone))
    original[key] = list.filter((item) => !gone.some((each) => equalJson(each, item)))
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
  return list.filter((item, i) => list.findIndex((each) => equalJson(each, item)) === i)
}

/** A JSON value as Go's `%v` prints it. */
export function goValue(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  if (isObject(value)) {
    return `map[${Object.keys(value)
      .sort()
      .map((key) => `${key}:${goValue(value[key])}`)
      .join(' ')}]`
  }
  return value === null || value === undefined ? '<nil>' : String(value)
}
