import type { Reconciler } from '#core/host/work.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { apiVersionOf } from '#core/kube/create-client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { describeError } from './describe-error.ts'
import type { RunningWork } from './informer.ts'
import { reflect } from './reflector.ts'
import type { ReflectorHandler } from './reflector.ts'
import { createWorkQueue } from './work-queue.ts'
import type { WorkQueue } from './work-queue.ts'

/** What reconcilers run on. They are idempotent, so several managers may run them; one that leads is enough. */
export interface ReconcilerOptions {
  readonly cluster: KubeClient
  readonly reconcilers: readonly Reconciler[]
  readonly log: Logger
  readonly signal: AbortSignal
  readonly metrics?: Metrics
  /** Objects worked on at once, per reconciler. */
  readonly concurrency?: number
  readonly watchSeconds?: number
}

/** Runs reconcilers until the signal aborts; `done` resolves when the reconciliations under way have ended. */
export function runReconcilers(options: ReconcilerOptions): RunningWork {
  const running = options.reconcilers.map((reconciler) => runOne(options, reconciler))
  return {
    synced: Promise.all(running.map((one) => one.synced)).then(() => undefined),
    done: Promise.all(running.map((one) => one.done)).then(() => undefined),
  }
}

function runOne(options: ReconcilerOptions, reconciler: Reconciler): RunningWork {
  const objects = new Map<string, KubeObject>()
  const queue = createQueue(options, reconciler, objects)
  const follow = (resource: Resource, handler: ReflectorHandler): Promise<void> =>
    reflect({ ...options, resource, handler })
  const first = Promise.withResolvers<void>()
  const loops = [
    follow(reconciler.resource, primary(objects, queue, first.resolve)).finally(first.resolve),
    ...(reconciler.owns ?? []).map((owned) =>
      follow(
        owned,
        dependants((one) => Promise.resolve(ownerKeys(reconciler, one)), queue),
      ),
    ),
    ...(reconciler.watches ?? []).map(({ resource, toRefs }) =>
      follow(
        resource,
        dependants(async (one) => (await toRefs(one, options.cluster)).map(keyOf), queue),
      ),
    ),
  ]
  return {
    synced: first.promise,
    done: Promise.all(loops).then(() => queue.stop()),
  }
}

function createQueue(
  options: ReconcilerOptions,
  reconciler: Reconciler,
  objects: ReadonlyMap<string, KubeObject>,
): WorkQueue {
  const results = options.metrics?.counter('mesh_reconcile_total', 'Reconciliations by result.', [
    'reconciler',
    'result',
  ])
  return createWorkQueue({
    concurrency: options.concurrency ?? 4,
    work: async (key) => {
      const result = await reconciler.reconcile(refOf(key), objects.get(key))
      results?.inc({ reconciler: reconciler.name, result: 'ok' })
      return result
    },
    onError: (key, error, failures) => {
      results?.inc({ reconciler: reconciler.name, result: 'error' })
      options.log.warn(
        { reconciler: reconciler.name, object: key, failures, ...describeError(error) },
        'reconcile failed',
      )
    },
  })
}

/** The reconciler's own kind: its cache, and a look at every object after each list. */
function primary(objects: Map<string, KubeObject>, queue: WorkQueue, synced: () => void): ReflectorHandler {
  let present = new Set<string>()
  const store = (object: KubeObject): string | undefined => {
    const key = keyOfObject(object)
    if (key !== undefined) objects.set(key, object)
    return key
  }
  return {
    listing: async () => {
      present = new Set()
    },
    page: async (page) => {
      for (const key of page.map(store)) if (key !== undefined) present.add(key)
    },
    listed: async () => {
      // Keys that were cached and are not on the list are looked at too: their objects are gone.
      const keys = [...objects.keys()]
      for (const key of keys) if (!present.has(key)) objects.delete(key)
      for (const key of keys) queue.add(key)
      synced()
    },
    changed: async (type, object) => {
      const key = store(object)
      if (key === undefined) return
      if (type === 'deleted') objects.delete(key)
      queue.add(key)
    },
  }
}

/** Another kind: each of its changes has some objects of the reconciler's kind looked at. */
function dependants(toKeys: (object: KubeObject) => Promise<readonly string[]>, queue: WorkQueue): ReflectorHandler {
  const enqueue = async (object: KubeObject): Promise<void> => {
    for (const key of await toKeys(object)) queue.add(key)
  }
  return {
    listing: () => Promise.resolve(),
    page: async (objects) => {
      for (const object of objects) await enqueue(object)
    },
    listed: () => Promise.resolve(),
    changed: (_type, object) => enqueue(object),
  }
}

function ownerKeys(reconciler: Reconciler, object: KubeObject): string[] {
  const { resource } = reconciler
  const owner = object.metadata.ownerReferences?.find((one) => one.controller === true)
  if (owner?.kind !== resource.kind || owner.apiVersion !== apiVersionOf(resource)) return []
  const namespace = resource.namespaced ? (object.metadata.namespace ?? '') : ''
  return [`${namespace}/${owner.name}`]
}

// An object whose name is none of ours to build a path from is left alone (A11).
function keyOfObject(object: KubeObject): string | undefined {
  const { name, namespace = '' } = object.metadata
  return isName(name) && (namespace === '' || isLabel(namespace)) ? `${namespace}/${name}` : undefined
}

function keyOf(ref: ObjectRef): string {
  return `${ref.namespace ?? ''}/${ref.name}`
}

function refOf(key: string): ObjectRef {
  const [namespace = '', name = ''] = key.split('/')
  if (!isName(name)) throw new TypeError(`not an object's key: ${key}`)
  return isLabel(namespace) ? { namespace, name } : { name }
}
