import { withCondition } from '../definitions/names-condition.ts'
import { conflict } from '../json/api-error.ts'
import { part, timestamp } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { DEFINITIONS } from '../kinds/custom-kinds.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Store } from '../storage/store.ts'
import type { StoredVersion, Written } from '../storage/stored.ts'

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

/** The supported fields of DeleteOptions (meta/v1). */
export interface DeleteOptions {
  propagation?: Propagation | undefined
  gracePeriodSeconds?: number | undefined
  preconditions?: { uid?: string; resourceVersion?: string } | undefined
  dryRun?: boolean
}

/** Result of a deletion: the object is removed, or waits for its finalizers or its grace period. */
export interface Deletion {
  removed: boolean
  stored: StoredVersion
  durable: Promise<void>
}

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

function checkPreconditions(kind: Kind, { object, key }: StoredVersion, given: DeleteOptions['preconditions']): void {
  const { name, uid, resourceVersion } = object.metadata
  const refuse = (what: string, asked: string, actual: string, why: string) =>
    conflict(
      kind,
      name,
      `the ${what} in the precondition (${asked}) does not match the ${what} in record (${actual}). ${why}`,
      'kind',
    )
  if (given?.uid !== undefined && given.uid !== uid) {
    throw refuse('UID', given.uid, uid ?? key, 'The object might have been deleted and then recreated')
  }
  if (given?.resourceVersion !== undefined && given.resourceVersion !== resourceVersion) {
    throw refuse('ResourceVersion', given.resourceVersion, resourceVersion ?? '', 'The object might have been modified')
  }
}

/** Finalizers after a deletion with this propagation policy: `orphan` and `foregroundDeletion` express it. */
function finalizersFor(kind: Kind, object: KubeObject, propagation: Propagation | undefined): string[] {
  const present = object.metadata.finalizers ?? []
  const rest = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND)
  // Events have no dependents: the policy is ignored.
  if (kind.storeId === '/events') return rest
  if (propagation === 'Orphan') return [...rest, ORPHAN]
  if (propagation === 'Foreground') return [...rest, FOREGROUND]
  if (propagation === 'Background') return rest
  if (present.includes(ORPHAN) || present.includes(FOREGROUND)) return present
  return kind.rules.orphansByDefault ? [...rest, ORPHAN] : rest
}

/** Grace period in seconds: only pods on a node have one. */
function graceOf(kind: Kind, object: KubeObject, asked: number | undefined): number {
  if (kind.storeId !== '/pods') return 0
  const spec = part(object, 'spec')
  const phase = part(object, 'status')['phase']
  if (!spec['nodeName'] || phase === 'Failed' || phase === 'Succeeded') return 0
  return Math.max(0, asked ?? Number(spec['terminationGracePeriodSeconds'] ?? 30))
}

function marked(object: KubeObject, now: Date, grace: number, finalizers: string[]): KubeObject {
  const { generation, deletionTimestamp, deletionGracePeriodSeconds, finalizers: _before, ...rest } = object.metadata
  const metadata: KubeObject['metadata'] = { ...rest }
  const first = deletionTimestamp === undefined
  if (generation !== undefined) metadata.generation = first ? generation + 1 : generation
  if (first || grace < (deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionTimestamp = timestamp(new Date(now.getTime() + grace * 1000))
    metadata.deletionGracePeriodSeconds = grace
  } else {
    metadata.deletionTimestamp = deletionTimestamp
    metadata.deletionGracePeriodSeconds = deletionGracePeriodSeconds ?? 0
  }
  if (finalizers.length > 0) metadata.finalizers = finalizers
  return { ...object, metadata }
}

/** Removes an object, or marks it with a deletionTimestamp. A dry run returns the same result without a change. */
export function deleteObject(
  store: Store,
  kind: Kind,
  stored: StoredVersion,
  { options, now }: { options: DeleteOptions; now: Date },
): Deletion {
  checkPreconditions(kind, stored, options.preconditions)
  const { object } = stored
  if (kind.storeId === DEFINITIONS && object.metadata.deletionTimestamp === undefined)
    return markDefinition(store, stored, options, now)
  const finalizers = finalizersFor(kind, object, options.propagation)
  const grace = graceOf(kind, object, options.gracePeriodSeconds)
  const isNamespace = kind.storeId === '/namespaces'
  const held = isNamespace && hasFinalizers(object)
  if (finalizers.length === 0 && grace === 0 && !held)
    return removeNow(store, kind.storeId === '/pods' ? markPod(store, stored, options, now) : stored, options)
  const next = marked(object, now, grace, finalizers)
  if (isNamespace) {
    next['status'] = { ...part(object, 'status'), phase: 'Terminating' }
    delete next.metadata.deletionGracePeriodSeconds
  }
  const unchanged =
    object.metadata.deletionTimestamp === next.metadata.deletionTimestamp &&
    finalizers.length === (object.metadata.finalizers?.length ?? 0)
  if (unchanged) return { removed: false, stored, durable: store.settled().then(() => undefined) }
  if (options.dryRun)
    return { removed: false, stored: { ...stored, object: next, body: '' }, durable: Promise.resolve() }
  return { removed: false, ...store.put(stored.id, stored.key, next) }
}

/** Finalizer of a definition whose objects are being deleted. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io'

/** Marks a definition: its objects are deleted first. */
function markDefinition(store: Store, stored: StoredVersion, { dryRun }: DeleteOptions, now: Date): Deletion {
  const { metadata } = stored.object
  const finalizers = [...(metadata.finalizers ?? []).filter((name) => name !== CLEANUP), CLEANUP]
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon'
  const pending = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message } as const
  const next: KubeObject = {
    ...stored.object,
    metadata: { ...metadata, deletionTimestamp: timestamp(now), finalizers },
    status: withCondition(part(stored.object, 'status'), pending, now),
  }
  if (dryRun) return { removed: false, stored: { ...stored, object: next, body: '' }, durable: Promise.resolve() }
  return { removed: false, ...store.put(stored.id, stored.key, next) }
}

/** True if the spec of a namespace has finalizers. */
function hasFinalizers(namespace: KubeObject): boolean {
  const finalizers = part(namespace, 'spec')['finalizers']
  return Array.isArray(finalizers) && finalizers.length > 0
}

/** A pod is marked before its removal: its deletion is always graceful. */
function markPod(store: Store, stored: StoredVersion, { dryRun }: DeleteOptions, now: Date): StoredVersion {
  const object = marked(stored.object, now, 0, [])
  return dryRun ? { ...stored, object, body: '' } : store.put(stored.id, stored.key, object).stored
}

function removeNow(store: Store, stored: StoredVersion, options: DeleteOptions): Deletion {
  const written: Written | undefined = options.dryRun ? undefined : store.remove(stored.id, stored.key)
  return { removed: true, stored: written?.stored ?? stored, durable: written?.durable ?? Promise.resolve() }
}

/** True if a marked object has no finalizers and no grace period: an update then removes it. */
export function mayGo(kind: Kind, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  if (deletionTimestamp === undefined || finalizers?.length) return false
  return kind.storeId === '/namespaces' ? !hasFinalizers(object) : (deletionGracePeriodSeconds ?? 0) === 0
}
