import { equalJson, isObject } from '../../json/json-value.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { invalidValue } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'

/** Behaviour of a built-in kind beyond its schema. Each step may change its argument. */
export interface Strategy {
  defaults?(object: KubeObject): void
  create?(object: KubeObject, taken: (address: string) => boolean): void
  update?(object: KubeObject, old: KubeObject): void
  updateStatus?(object: KubeObject, old: KubeObject): void
  validate?(object: KubeObject, old?: KubeObject): Cause[]
  /** Changes before the object is stored, after ownership is computed; `old` makes it an update of the main resource. */
  stored?(object: KubeObject, old?: KubeObject): void
}

/** The object at a key, created if it is absent. */
export function section(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  if (isObject(value)) return value
  return (object[key] = {})
}

/** The cause of a changed immutable field. */
export function immutable(object: KubeObject, old: KubeObject | undefined, ...path: string[]): Cause[] {
  if (!old || equalJson(read(object, ...path), read(old, ...path))) return []
  return [invalidValue(path.join('.'), read(object, ...path) ?? null, 'field is immutable')]
}

/** The value at a path. */
export const read = (from: KubeObject, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), from)

/** Deletes zeros of these fields (`omitempty`) in place. */
export function dropZeros(target: JsonObject, keys: readonly string[]): void {
  for (const key of keys) if (target[key] === 0) delete target[key]
}
