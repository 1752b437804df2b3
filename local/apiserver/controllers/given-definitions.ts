import { equalJson } from '../json/json-value.ts'
import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { DEFINITIONS } from '../kinds/custom-kinds.ts'
import type { CustomResourceDefinition } from '../kinds/custom-kinds.ts'
import type { Kind } from '../kinds/kind.ts'
import { stampNew } from '../rules/metadata.ts'
import { strategyOf } from '../strategies/strategy-of-kind.ts'
import { dropEmpty } from '../schema/built-in-decoding.ts'
import type { Store } from '../storage/store.ts'

/**
 * Creates the given definitions and replaces those whose spec differs. Others in the store are kept: their kinds hold
 * objects of users. Throws for a definition that a client could not create either.
 */
export function storeDefinitions(
  store: Store,
  kind: Kind,
  given: readonly CustomResourceDefinition[],
  now: Date,
): void {
  for (const definition of given) {
    const object = decode(definition, kind)
    const stored = store.find(DEFINITIONS, object.metadata.name)
    if (stored === undefined) create(store, kind, object, now)
    else if (stored.object.metadata.deletionTimestamp === undefined) replace(store, kind, stored.object, object)
  }
}

function decode(definition: CustomResourceDefinition, kind: Kind): KubeObject {
  const whole: KubeObject = JSON.parse(JSON.stringify({ ...definition, kind: kind.kind, apiVersion: kind.apiVersion }))
  delete whole['status']
  const object = kind.schema.default(kind.schema.prune(whole))
  strategyOf(kind).defaults?.(object)
  dropEmpty(object, kind.schema.schema)
  return object
}

function create(store: Store, kind: Kind, object: KubeObject, now: Date): void {
  stampNew(object, kind, '', now)
  strategyOf(kind).create?.(object, () => false)
  refuse(kind, object)
  store.put(DEFINITIONS, object.metadata.name, object)
}

function replace(store: Store, kind: Kind, old: KubeObject, { metadata, ...given }: KubeObject): void {
  const labels = { ...old.metadata.labels, ...metadata.labels }
  const annotations = { ...old.metadata.annotations, ...metadata.annotations }
  const next: KubeObject = structuredClone({ ...old, spec: part({ metadata, ...given }, 'spec') })
  if (Object.keys(labels).length > 0) next.metadata.labels = labels
  if (Object.keys(annotations).length > 0) next.metadata.annotations = annotations
  strategyOf(kind).update?.(next, old)
  if (equalJson(next, old)) return
  refuse(kind, next, old)
  if (!equalJson(next['spec'], old['spec'])) next.metadata.generation = (old.metadata.generation ?? 0) + 1
  store.put(DEFINITIONS, next.metadata.name, next)
}

function refuse(kind: Kind, object: KubeObject, old?: KubeObject): void {
  const causes = strategyOf(kind).validate?.(object, old) ?? []
  if (causes.length === 0) return
  const reasons = causes.map(({ field, message }) => `${field}: ${message}`).join('; ')
  throw new Error(`the definition ${object.metadata.name} is invalid: ${reasons}`)
}
