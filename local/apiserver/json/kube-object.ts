import { isObject } from './json-value.ts'
import type { Json, JsonObject } from './json-value.ts'

/** One entry of `metadata.ownerReferences`. */
export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** One entry of `metadata.managedFields`. */
export type ManagedFieldsEntry = {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: 'FieldsV1'
  fieldsV1?: JsonObject
  subresource?: string
}

/** `metadata` of a stored object. */
export type ObjectMeta = {
  name: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: { [key: string]: string }
  annotations?: { [key: string]: string }
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: ManagedFieldsEntry[]
}

/** A Kubernetes object of any kind. */
export type KubeObject = { apiVersion: string; kind: string; metadata: ObjectMeta; [key: string]: Json | undefined }

/** A time in the format of metadata: RFC 3339, whole seconds. */
export const timestamp = (now: Date): string => `${now.toISOString().slice(0, 19)}Z`

/** The object at a key; an empty object if the key is absent or holds another type. */
export function part(object: KubeObject, key: string): JsonObject {
  const value = object[key]
  return isObject(value) ? value : {}
}
