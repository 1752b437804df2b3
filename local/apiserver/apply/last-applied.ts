import { isObject, sortKeys } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { difference, emptySet, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { compare, toFieldSet } from './typed-value.ts'

/** Where `kubectl apply` without `--server-side` notes what it applied. */
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

/** What kubectl applied before and still stands: its first server-side apply takes these fields without force. */
export function lastAppliedFields(live: Json, type: JsonSchema): FieldSet {
  const applied = parsed(noted(live) ?? '')
  if (!isObject(applied) || !isObject(live) || applied['apiVersion'] !== live['apiVersion']) return emptySet()
  const { added, modified, removed } = compare(applied, live, type)
  return difference(toFieldSet(applied, type), union(union(added, modified), removed))
}

/** Keeps the note of kubectl up with its server-side apply, so that a later plain apply compares with the right one. */
export function keepLastApplied({ metadata }: KubeObject, patch: KubeObject): void {
  if (!metadata.annotations?.[ANNOTATION]) return
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: `${JSON.stringify(sortKeys(patch))}\n` }
}
