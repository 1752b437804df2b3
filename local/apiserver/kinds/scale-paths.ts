import { isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import type { Kind, ScalePaths } from './kind.ts'

const MAX_INT32 = 2 ** 31 - 1

/** Content of the Scale of a custom object, by the paths of its kind. */
export interface ScaleNumbers {
  /** Undefined where the object has no such field. */
  readonly replicas: number | undefined
  readonly statusReplicas: number
  readonly selector: string
}

/** Reads the numbers of a custom object. */
export function scaleNumbers(object: KubeObject, paths: ScalePaths): ScaleNumbers {
  const replicas = at(object, paths.specReplicasPath)
  const statusReplicas = at(object, paths.statusReplicasPath)
  const selector = paths.labelSelectorPath === undefined ? '' : at(object, paths.labelSelectorPath)
  return {
    replicas: typeof replicas === 'number' ? replicas : undefined,
    statusReplicas: typeof statusReplicas === 'number' ? statusReplicas : 0,
    selector: typeof selector === 'string' ? selector : '',
  }
}

/** Faults of the replica count of a custom object that can be scaled, beyond those that its schema finds. */
export function scaleFaults(object: KubeObject, { scale }: Kind): Cause[] {
  if (scale === undefined) return []
  const replicas = at(object, scale.specReplicasPath)
  if (typeof replicas !== 'number') return []
  if (replicas < 0) return [invalidValue(scale.specReplicasPath, replicas, 'should be a non-negative integer')]
  if (replicas <= MAX_INT32) return []
  return [invalidValue(scale.specReplicasPath, replicas, `should be less than or equal to ${MAX_INT32}`)]
}

const keysOf = (path: string): string[] => path.split('.').filter((key) => key !== '')

function at(object: KubeObject, path: string): Json | undefined {
  return readAt(object as Json, keysOf(path))
}

function readAt(from: Json | undefined, keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    from,
  )
}

/** Whether a field manager owns the field. */
export function isOwned({ metadata: { managedFields = [] } }: KubeObject, path: string): boolean {
  const keys = keysOf(path).map((key) => `f:${key}`)
  return managedFields.some(({ fieldsV1 }) => readAt(fieldsV1 as Json, keys) !== undefined)
}

/** Sets a field, with the objects above it; changes `object`. */
export function withField(object: KubeObject, path: string, value: number): KubeObject {
  const keys = keysOf(path)
  const last = keys.pop() ?? ''
  let parent: { [key: string]: Json | undefined } = object as { [key: string]: Json | undefined }
  for (const key of keys) {
    const child = parent[key]
    parent = isObject(child) ? child : (parent[key] = {})
  }
  parent[last] = value
  return object
}
