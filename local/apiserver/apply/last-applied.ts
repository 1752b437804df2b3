import { isObject, sortKeys } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { difference, emptySet, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { compare, toFieldSet } from './typed-value.ts'

/** Annotation in which client-side `kubectl apply` stores the applied object. */
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'

function noted(live: Json): string | undefined {
  const metadata = isObject(live) ? live['metadata'] : undefined
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined
  const text = isObject(annotations) ? annotations[ANNOTATION] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Fields of the last client-side apply that are unchanged: the first server-side apply takes them without force. */
export function lastAppliedFields(live: Json, type: JsonSchema): FieldSet {
  const applied = parsed(noted(live) ?? '')
  if (!isObject(applied) || !isObject(live) || applied['apiVersion'] !== live['apiVersion']) return emptySet()
  const { added, modified, removed } = compare(applied, live, type)
  return difference(toFieldSet(applied, type), union(union(added, modified), removed))
}

/** Updates kubectl's annotation on a server-side apply, so that a later client-side apply compares with this object. */
export function keepLastApplied({ metadata }: KubeObject, patch: KubeObject): void {
  if (!metadata.annotations?.[ANNOTATION]) return
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: `${JSON.stringify(sortKeys(patch))}\n` }
}
