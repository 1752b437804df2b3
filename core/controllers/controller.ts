import { isDeepStrictEqual } from 'node:util'
import type { KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { createTokenBucket } from '#core/async/token-bucket.ts'
import type { TokenBucket, TokenBucketOptions } from '#core/async/token-bucket.ts'
import { KubeError } from '#core/kube/status.ts'
import { apiVersionOf } from '#core/kube/url.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { Reconciler, WatchedChange } from './watch/declarations.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { RunningWork } from './informer.ts'
import { controllerMetrics } from './watch/metrics.ts'
import type { WatchChange, ReflectorHandler } from './watch/reflector.ts'
import { everyNamespace, partsOf } from '#core/cluster/served-namespaces.ts'
import { createSharedWatches } from './shared-watches.ts'
import type { SharedWatches, SharedWatchOptions } from './shared-watches.ts'
import { followStores } from './follow-stores.ts'
import type { ObjectStores } from './watch/object-stores.ts'
import { createForeignStatus, statusWritesOf } from './foreign-status.ts'
import type { ForeignStatus } from './foreign-status.ts'
import { wakeOnEvents } from './wake-on-events.ts'
import type { FollowEvents } from './wake-on-events.ts'
import { createWorkQueue } from './work-queue.ts'
import type { WorkQueue } from './work-queue.ts'

/** Dependencies of reconcilers. They are idempotent, so several managers may run them; one leader is enough. */
export interface ReconcilerOptions extends SharedWatchOptions {
  readonly reconcilers: readonly Reconciler[]
  /** Objects reconciled concurrently, per reconciler. */
  readonly concurrency?: number
  /** Bounds the requests of the retries of all reconcilers together. */
  readonly retries?: TokenBucketOptions | undefined
  /** Bounds the requests of their other attempts. */
  readonly attempts?: TokenBucketOptions | undefined
  /** Follows events of the log until the signal aborts; undefined without a store. */
  readonly events?: FollowEvents | undefined
}

/** Requests of the retries of one process. */
const DEFAULT_RETRIES: TokenBucketOptions = { perSecond: 20, burst: 100 }

/** Requests of the other attempts of one process. */
const DEFAULT_ATTEMPTS: TokenBucketOptions = { perSecond: 200, burst: 1_000 }

/**
 * Runs reconcilers until the signal aborts. `synced` resolves when each object of the first lists was reconciled once, successfully or not;
 * `done` when reconciliations in progress have ended.
 */
export function runReconcilers(options: ReconcilerOptions): RunningWork {
  const watches = createSharedWatches(options)
  const bucket = createTokenBucket(options.retries ?? DEFAULT_RETRIES)
  const attemptBucket = createTokenBucket(options.attempts ?? DEFAULT_ATTEMPTS)
  const parts = { ...options, bucket, attemptBucket }
  const running = options.reconcilers.map((reconciler) => runOne(parts, reconciler, watches))
  watches.start()
  return {
    synced: Promise.all(running.map((one) => one.synced)).then(() => undefined),
    done: Promise.all(running.map((one) => one.done)).then(() => undefined),
  }
}

interface RunOptions extends ReconcilerOptions {
  readonly bucket: TokenBucket
  readonly attemptBucket: TokenBucket
}

function runOne(options: RunOptions, reconciler: Reconciler, watches: SharedWatches): RunningWork {
  const objects = new Map<string, KubeObject>()
  const first = createFirstPass(partsOf(reconciler.resource, options.served ?? everyNamespace).length)
  const { stores } = reconciler
  const stored = stores && followStores(stores, watches, options.served)
  const queue = createQueue(options, reconciler, { objects, worked: first.worked, stored })
  const foreign = createForeignStatus({ writes: statusWritesOf(options.cluster), changed: (key) => queue.add(key) })
  const own = watches.subscribe({
    resource: reconciler.resource,
    handlerOf: (part) => primary(reconciler, { objects, queue, foreign, listed: (keys) => first.listed(part, keys) }),
    // A kind that cannot be listed does not delay the others (CON4).
    onState: (part, state) => (state === 'denied' || state === 'unserved') && first.listed(part, []),
  })
  const loops = [
    ...own.map((loop, part) => loop.finally(() => first.listed(part, []))),
    ...(reconciler.owns ?? []).flatMap((resource) =>
      watches.subscribe({
        resource,
        labelSelector: labelOf(stores, resource),
        handlerOf: () => dependants((one) => Promise.resolve(ownerKeys(reconciler, one)), queue),
      }),
    ),
    ...(reconciler.watches ?? []).flatMap((watch) =>
      watch.events !== undefined
        ? []
        : watches.subscribe({
            resource: watch.resource,
            labelSelector: watch.labelSelector,
            handlerOf: () =>
              dependants(async (one, change) => (await watch.toRefs(one, options.cluster, change)).map(keyOf), queue),
          }),
    ),
    wakeOnEvents(options, reconciler, { ready: first.listedAll, wake: (ref) => queue.add(keyOf(ref)) }),
  ]
  return {
    synced: first.done,
    done: Promise.all(loops).then(() => {
      foreign.stop()
      return queue.stop()
    }),
  }
}

/** Tracks the keys of the first list of each part until each was reconciled once; later lists are ignored. */
function createFirstPass(parts: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const all = Promise.withResolvers<void>()
  const listed = new Set<number>()
  const left = new Set<string>()
  const settle = (): void => {
    if (listed.size === parts && left.size === 0) resolve()
  }
  return {
    done: promise,
    /** Resolves when each part was listed, or cannot be. */
    listedAll: all.promise,
    listed: (part: number, keys: readonly string[]): void => {
      if (!listed.has(part)) for (const key of keys) left.add(key)
      listed.add(part)
      if (listed.size === parts) all.resolve()
      settle()
    },
    worked: (key: string): void => {
      left.delete(key)
      settle()
    },
  }
}

interface QueueParts {
  readonly objects: ReadonlyMap<string, KubeObject>
  readonly worked: (key: string) => void
  /** Resolves when the stores of the reconciler are filled, or its watches have ended. */
  readonly stored: Promise<void> | undefined
}

function createQueue(options: RunOptions, reconciler: Reconciler, { objects, worked, stored }: QueueParts): WorkQueue {
  const seconds = options.metrics?.histogram(controllerMetrics.reconcileSeconds)
  const depth = options.metrics?.gauge(controllerMetrics.reconcileQueue)
  const queue = createWorkQueue({
    concurrency: options.concurrency ?? 4,
    bucket: options.bucket,
    attempts: options.attemptBucket,
    isRefusal,
    work: async (key) => {
      const started = performance.now()
      let result = 'error'
      try {
        if (stored !== undefined) await stored
        if (options.signal.aborted) return {}
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

// The cluster responded, so no watch will report its return and cause an earlier retry.
function isRefusal(error: unknown): boolean {
  return error instanceof KubeError && error.status !== 503 && error.status !== 504
}

/** Watches the reconciler's own kind: fills the cache, and enqueues every object after each list. */
function primary(
  { concern = (object: KubeObject): unknown => object }: Reconciler,
  {
    objects,
    queue,
    foreign,
    listed,
  }: {
    readonly objects: Map<string, KubeObject>
    readonly queue: WorkQueue
    readonly foreign: ForeignStatus
    readonly listed: (keys: readonly string[]) => void
  },
): ReflectorHandler {
  let present = new Set<string>()
  // Keys of this part; the cache is shared with other namespaces.
  const known = new Set<string>()
  const store = (object: KubeObject): string | undefined => {
    const key = keyOfObject(object)
    if (key === undefined) return undefined
    objects.set(key, object)
    known.add(key)
    return key
  }
  const forget = (key: string): void => {
    const object = objects.get(key)
    if (object !== undefined) foreign.forget(key, object)
    objects.delete(key)
    known.delete(key)
  }
  const changed = (type: WatchChange['type'], object: KubeObject): void => {
    const before = objects.get(keyOfObject(object) ?? '')
    const key = store(object)
    if (key === undefined) return
    if (type === 'deleted') forget(key)
    else if (before !== undefined && isDeepStrictEqual(concern(before), concern(object))) {
      if (!isDeepStrictEqual(before.status, object.status)) foreign.saw(key, object)
      return
    }
    queue.add(key, true)
  }
  return {
    listing: async () => {
      present = new Set()
    },
    page: async (page) => {
      for (const key of page.map(store)) if (key !== undefined) present.add(key)
    },
    listed: async () => {
      // Cached keys that are not listed are enqueued as well: their objects were deleted.
      const keys = [...known]
      for (const key of keys) if (!present.has(key)) forget(key)
      listed(keys)
      for (const key of keys) queue.add(key)
    },
    changed: async (changes) => {
      for (const { type, object } of changes) changed(type, object)
    },
  }
}

/** Watches another kind: each change enqueues objects of the reconciler's kind. */
function dependants(
  toKeys: (object: KubeObject, change: WatchedChange) => Promise<readonly string[]>,
  queue: WorkQueue,
): ReflectorHandler {
  const enqueue = async (object: KubeObject, change: WatchedChange): Promise<void> => {
    for (const key of await toKeys(object, change)) queue.add(key)
  }
  return {
    listing: () => Promise.resolve(),
    page: async (objects) => {
      for (const object of objects) await enqueue(object, 'present')
    },
    listed: () => Promise.resolve(),
    changed: async (changes) => {
      for (const { type, object } of changes) await enqueue(object, type === 'deleted' ? 'deleted' : 'present')
    },
  }
}

// The watch that fills the store of a kind reports its changes, too.
function labelOf(stores: ObjectStores | undefined, { group, plural }: Resource): string | undefined {
  return stores?.kinds.find(({ resource }) => resource.group === group && resource.plural === plural)?.label
}

function ownerKeys(reconciler: Reconciler, object: KubeObject): string[] {
  const { resource } = reconciler
  const owner = object.metadata.ownerReferences?.find((one) => one.controller === true)
  if (owner?.kind !== resource.kind || owner.apiVersion !== apiVersionOf(resource)) return []
  const namespace = resource.namespaced ? (object.metadata.namespace ?? '') : ''
  return [`${namespace}/${owner.name}`]
}

// Ignores objects whose name is unsafe in a path (A11).
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
