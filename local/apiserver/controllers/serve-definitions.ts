import { trackUpdate } from '../apply/server-side-apply.ts'
import { isConditionTrue, namesOf, withCondition, withNames } from '../definitions/names-condition.ts'
import type { UsedNames } from '../definitions/names-condition.ts'
import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Log } from '../json/log.ts'
import { DEFINITIONS, asDefinition, customKinds, storeOf } from '../kinds/custom-kinds.ts'
import type { Kinds } from '../kinds/kind-table.ts'
import type { SchemaSource } from '../kinds/kind.ts'
import { CLEANUP, deleteObject } from '../rules/deletion.ts'
import type { Store } from '../storage/store.ts'
import type { StoredVersion } from '../storage/stored.ts'

/** Objects deleted at once for a deleted definition: other requests run in between. */
const BATCH = 200

/** Dependencies of the controller. */
export interface DefinitionsContext {
  readonly store: Store
  readonly kinds: Kinds
  readonly schemas: SchemaSource
  readonly now: () => Date
  readonly log: Log
}

/**
 * Serves the kinds of stored definitions: accepts their names, replaces their kinds when they change, and deletes the objects of a deleted
 * definition. A definition is served before the response to its create. Each step is idempotent: a start completes steps that a crash
 * interrupted.
 */
export function startDefinitions(context: DefinitionsContext): () => void {
  const { store, log } = context
  const served = new Map<string, { readonly key: string; readonly abort: AbortController }>()
  /** Terminating definitions by the store of their objects. */
  const terminating = new Map<string, string>()
  const due = new Set<string>()
  let scheduled: NodeJS.Immediate | undefined

  const stopChanges = store.subscribe(DEFINITIONS, ({ stored }) => guarded(stored.key))
  const stopObjects = store.subscribeAll(({ type, stored }) => {
    const definition = type === 'DELETED' && terminating.size > 0 ? terminating.get(stored.id) : undefined
    if (definition !== undefined) schedule(definition)
  })
  const syncAll = () => {
    for (const { key } of store.range(DEFINITIONS, '').slice()) guarded(key)
  }
  syncAll()
  store.onRecovered(syncAll)

  function schedule(name: string): void {
    due.add(name)
    scheduled ??= setImmediate(() => {
      scheduled = undefined
      const names = [...due]
      due.clear()
      for (const each of names) guarded(each)
    })
  }

  // The listener of a durable change must not fail: the response would report the change as failed.
  function guarded(name: string): void {
    try {
      sync(name)
    } catch (error) {
      log('definition not synchronised', { name, error: error instanceof Error ? error.message : String(error) })
    }
  }

  function sync(name: string): void {
    const stored = store.find(DEFINITIONS, name)
    if (stored === undefined) return forget(name)
    const { object } = stored
    serve(name, object)
    if (object.metadata.deletionTimestamp !== undefined) return terminate(stored)
    const used = usedNames(context, object)
    const named = withNames(object, used, context.now())
    if (named) {
      store.put(DEFINITIONS, name, owned(context, object, named))
      // The definition is durable, so its kinds are served before the response to its create.
      serve(name, named)
      // Names that became free may be wanted by others.
      for (const other of store.range(DEFINITIONS, '').slice())
        if (other.key !== name && !isConditionTrue(other.object, 'NamesAccepted')) schedule(other.key)
    }
  }

  function forget(name: string): void {
    const before = served.get(name)
    context.kinds.define(name, [])
    before?.abort.abort()
    served.delete(name)
    for (const [id, definition] of terminating) if (definition === name) terminating.delete(id)
    for (const { key, object } of store.range(DEFINITIONS, '').slice())
      if (!isConditionTrue(object, 'NamesAccepted')) schedule(key)
  }

  /** Replaces the kinds of an established definition if its spec, its names or its deletion changed. */
  function serve(name: string, object: KubeObject): void {
    if (!isConditionTrue(object, 'Established')) return
    const names = namesOf(object)
    const isTerminating = object.metadata.deletionTimestamp !== undefined
    const key = JSON.stringify([object.metadata.uid, object.metadata.generation, names, isTerminating])
    const before = served.get(name)
    if (before?.key === key) return
    const abort = new AbortController()
    const serving = { names, terminating: isTerminating, replaced: abort.signal }
    context.kinds.define(name, customKinds(asDefinition(object), context.schemas, serving))
    served.set(name, { key, abort })
    before?.abort.abort()
  }

  function terminate(stored: StoredVersion): void {
    const { object, key } = stored
    const id = storeOf(asDefinition(object))
    if (!object.metadata.finalizers?.includes(CLEANUP)) return
    terminating.set(id, key)
    const more = deleteSome(context, id)
    if (more === 'some') return schedule(key)
    if (more === 'held') {
      const message = 'CustomResource deletion is in progress'
      const waiting = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message } as const
      const status = part(object, 'status')
      const isKnown = JSON.stringify(status['conditions']).includes(waiting.reason)
      const next = { ...object, status: withCondition(status, waiting, context.now()) }
      if (!isKnown) store.put(DEFINITIONS, key, owned(context, object, next))
      return
    }
    const { finalizers = [], ...metadata } = object.metadata
    const kept = finalizers.filter((each) => each !== CLEANUP)
    if (kept.length === 0) {
      store.remove(DEFINITIONS, key)
      // Readers see immediately that the definition is gone.
      forget(key)
      return
    }
    const done = { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted' } as const
    const status = withCondition(part(object, 'status'), { ...done, message: 'removed all instances' }, context.now())
    store.put(DEFINITIONS, key, { ...object, metadata: { ...metadata, finalizers: kept }, status })
  }

  return () => {
    stopChanges()
    stopObjects()
    clearImmediate(scheduled)
  }
}

/** Deletes objects of a definition; `held` if only objects with finalizers remain. */
function deleteSome({ store, kinds, now }: DefinitionsContext, id: string): 'none' | 'some' | 'held' {
  const kind = kinds.byStore(id)
  // A definition without accepted names has no objects, and its store may be that of a built-in kind.
  if (kind?.custom !== true) return 'none'
  const objects = store.range(id, '').slice()
  const marked = objects.filter(({ object }) => object.metadata.deletionTimestamp === undefined).slice(0, BATCH)
  for (const each of marked) deleteObject(store, kind, each, { options: { propagation: 'Background' }, now: now() })
  if (store.range(id, '').length === 0) return 'none'
  return marked.length === BATCH ? 'some' : 'held'
}

/** The definition with the server as owner of the status that it writes. */
function owned({ kinds, now }: DefinitionsContext, before: KubeObject, after: KubeObject): KubeObject {
  const schema = kinds.byStore(DEFINITIONS)?.schema
  if (schema === undefined || before.metadata.managedFields === undefined) return after
  const write = { before, after, manager: 'kube-apiserver', subresource: 'status', schema, now: now() }
  return { ...after, metadata: { ...after.metadata, managedFields: trackUpdate(write) } }
}

/** Names in use by other definitions of the group and by built-in kinds. */
function usedNames({ store, kinds }: DefinitionsContext, definition: KubeObject): UsedNames {
  const { group } = asDefinition(definition).spec
  const resources = new Set<string>()
  const taken = new Set<string>()
  for (const kind of kinds.all.filter((each) => each.group === group && !each.custom)) {
    for (const name of [kind.resource, kind.singular, ...kind.shortNames]) resources.add(name)
    taken.add(kind.kind).add(`${kind.kind}List`)
  }
  for (const { object, key } of store.range(DEFINITIONS, '')) {
    if (key === definition.metadata.name || asDefinition(object).spec.group !== group) continue
    const { plural, singular = '', shortNames = [], kind, listKind = '' } = namesOf(object)
    for (const name of [plural, singular, ...shortNames]) resources.add(name)
    taken.add(kind).add(listKind)
  }
  return { resources, kinds: taken }
}
