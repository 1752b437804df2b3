import { isDeepStrictEqual } from 'node:util'
import type { Reconciler } from '#core/host/work.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { apiVersionOf } from '#core/kube/create-client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { Logger } from '#core/log/logger.ts'
import { clusterMetrics } from '#core/telemetry/core-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { describeError } from './describe-error.ts'
import type { RunningWork } from './informer.ts'
import { reflect } from './reflector.ts'
import type { Change, ReflectorHandler } from './reflector.ts'
import { selectingClient } from './selecting-client.ts'
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

/**
 * Runs reconcilers until the signal aborts; `synced` resolves when each object of the first lists was worked on once, well or not, and
 * `done` when the reconciliations under way have ended.
 */
export function runReconcilers(options: ReconcilerOptions): RunningWork {
  const running = options.reconcilers.map((reconciler) => runOne(options, reconciler))
  return {
    synced: Promise.all(running.map((one) => one.synced)).then(() => undefined),
    done: Promise.all(running.map((one) => one.done)).then(() => undefined),
  }
}

function runOne(options: ReconcilerOptions, reconciler: Reconciler): RunningWork {
  const objects = new Map<string, KubeObject>()
  const first = createFirstPass()
  const queue = createQueue(options, reconciler, { objects, worked: first.worked })
  const follow = (resource: Resource, handler: ReflectorHandler, cluster = options.cluster): Promise<void> =>
    reflect({ ...options, cluster, resource, handler })
  const loops = [
    follow(reconciler.resource, primary(reconciler, { objects, queue, listed: first.listed })).finally(() =>
      first.listed([]),
    ),
    ...(reconciler.owns ?? []).map((owned) =>
      follow(
        owned,
        dependants((one) => Promise.resolve(ownerKeys(reconciler, one)), queue),
      ),
    ),
    ...(reconciler.watches ?? []).map(({ resource, labelSelector, toRefs }) =>
      follow(
        resource,
        dependants(async (one) => (await toRefs(one, options.cluster)).map(keyOf), queue),
        labelSelector === undefined ? options.cluster : selectingClient(options.cluster, labelSelector),
      ),
    ),
  ]
  return {
    synced: first.done,
    done: Promise.all(loops).then(() => queue.stop()),
  }
}

/** The keys of the first list until each was worked on once; a later list changes nothing. */
function createFirstPass() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left: Set<string> | undefined
  const settle = (): void => {
    if (left?.size === 0) resolve()
  }
  return {
    done: promise,
    listed: (keys: readonly string[]): void => {
      left ??= new Set(keys)
      settle()
    },
    worked: (key: string): void => {
      left?.delete(key)
      settle()
    },
  }
}

function createQueue(
  options: ReconcilerOptions,
  reconciler: Reconciler,
  { objects, worked }: { readonly objects: ReadonlyMap<string, KubeObject>; worked(key: string): void },
): WorkQueue {
  const seconds = options.metrics?.histogram(clusterMetrics.reconcileSeconds)
  const depth = options.metrics?.gauge(clusterMetrics.reconcileQueue)
  const queue = createWorkQueue({
    concurrency: options.concurrency ?? 4,
    work: async (key) => {
      const started = performance.now()
      let result = 'error'
      try {
        const next = await reconciler.reconcile(refOf(key), objects.get(key))
        result = 'ok'
        return next
      } finally {
        seconds?.observe((performance.now() - started) / 1000, { reconciler: reconciler.name, result })
        worked(key)
      }
    },
    onError: (key, error, failures) => {
      options.log.warn(
        { reconciler: reconciler.name, object: key, failures, ...describeError(error) },
        'reconcile failed',
      )
    },
  })
  options.metrics?.beforeScrape(() => depth?.set(queue.depth, { reconciler: reconciler.name }))
  return queue
}

/** The reconciler's own kind: its cache, and a look at every object after each list. */
function primary(
  { concern = (object: KubeObject): unknown => object }: Reconciler,
  {
    objects,
    queue,
    listed,
  }: {
    readonly objects: Map<string, KubeObject>
    readonly queue: WorkQueue
    readonly listed: (keys: readonly string[]) => void
  },
): ReflectorHandler {
  let present = new Set<string>()
  const store = (object: KubeObject): string | undefined => {
    const key = keyOfObject(object)
    if (key !== undefined) objects.set(key, object)
    return key
  }
  const changed = (type: Change['type'], object: KubeObject): void => {
    const before = objects.get(keyOfObject(object) ?? '')
    const key = store(object)
    if (key === undefined) return
    if (type === 'deleted') objects.delete(key)
    else if (before !== undefined && isDeepStrictEqual(concern(before), concern(object))) return
    queue.add(key)
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
      listed(keys)
      for (const key of keys) queue.add(key)
    },
    changed: async (changes) => {
      for (const { type, object } of changes) changed(type, object)
    },
  }
}

/** Another kind: each of its changes has some objects of the reconciler's kind looked at. */
function dependants(toKeys: (object: KubeObject) => Promise<readonly string[]>, queue: WorkQueue): ReflectorHandler {
  const enqueue = async (objects: readonly KubeObject[]): Promise<void> => {
    for (const object of objects) for (const key of await toKeys(object)) queue.add(key)
  }
  return {
    listing: () => Promise.resolve(),
    page: enqueue,
    listed: () => Promise.resolve(),
    changed: (changes) => enqueue(changes.map(({ object }) => object)),
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
