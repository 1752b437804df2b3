import { equalJson, isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'

/** What a built-in kind does to its objects beyond its schema. Each step may change the object that it is given. */
export interface Strategy {
  defaults?(object: KubeObject): void
  create?(object: KubeObject, taken: (address: string) => boolean): void
  update?(object: KubeObject, old: KubeObject): void
  updateStatus?(object: KubeObject, old: KubeObject): void
  validate?(object: KubeObject, old?: KubeObject): Cause[]
  /** What storage makes of an object, after its owners are known; `old` makes it an update of the whole. */
  stored?(object: KubeObject, old?: KubeObject): void
}

/** The object at a key, made when it is absent. */
export function section(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  if (isObject(value)) return value
  return (object[key] = {})
}

/** The objects of a list, or none when it is not one. */
export const items = (list: Json | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** The fault of a field that an update changed and may not. */
export function immutable(object: KubeObject, old: KubeObject | undefined, ...path: string[]): Cause[] {
  if (!old || equalJson(read(object, ...path), read(old, ...path))) return []
  return [invalidValue(path.join('.'), read(object, ...path) ?? null, 'field is immutable')]
}

/** The value at a path. */
export const read = (from: KubeObject, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), from)

/** Go leaves a zero out of these fields: in place. */
export function dropZeros(target: JsonObject, keys: readonly string[]): void {
  for (const key of keys) if (target[key] === 0) delete target[key]
}

/** A field that must be there. */
export const required = (field: string, why?: string): Cause => ({
  reason: 'FieldValueRequired',
  message: why === undefined ? 'Required value' : `Required value: ${why}`,
  field,
})
