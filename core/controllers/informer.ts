import { createSemaphore } from '#core/async/semaphore.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import { isRetryable } from '#core/database/session/database-errors.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Informer } from './watch/declarations.ts'
import { describeError } from '#core/log/describe-error.ts'
import { observationGap } from './objects/object-events.ts'
import { resumeVersionOf } from './objects/resume-version.ts'
import type { InformerPart } from './objects/resume-version.ts'
import { controllerMetrics } from './watch/metrics.ts'
import { createNamespaceAbsence } from './watch/namespace-absence.ts'
import { observe } from './objects/object-fingerprint.ts'
import { reflect } from './watch/reflector.ts'
import type { ListReason, ReflectorHandler } from './watch/reflector.ts'
import { hasObjects, hasUnread, recordDeltas, recordListEnd } from './objects/record-changes.ts'
import type { Delta } from './objects/record-changes.ts'
import { everyNamespace, partsOf } from '#core/cluster/served-namespaces.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createWatchStates } from './watch/watch-states.ts'
import type { WatchStates } from './watch/watch-states.ts'

/** Dependencies of informers: the manager's own identity, the store, and a signal that ends them. */
export interface InformerOptions {
  readonly cluster: KubeClient
  readonly store: Store
  readonly informers: readonly Informer[]
  /** Default: every namespace, watched as one. */
  readonly served?: ServedNamespaces
  readonly states?: WatchStates
  readonly log: Logger
  readonly metrics?: Metrics
  readonly signal: AbortSignal
  readonly pageSize?: number
  readonly watchSeconds?: number
}

/** Running background work: `synced` resolves when the first lists are stored, `done` when everything has ended. */
export interface RunningWork {
  readonly synced: Promise<void>
  readonly done: Promise<void>
}

/**
 * Lists and watches each kind, per namespace where namespaces are chosen, and emits one event per change (A4). Any number of replicas
 * may run at once.
 */
export function runInformers(options: InformerOptions): RunningWork {
  const waiting = options.metrics?.gauge(controllerMetrics.informerWaiting)
  const states = options.states ?? createWatchStates(options)
  const shared = createShared(options.cluster)
  const running = options.informers.flatMap((informer) => {
    const parts = partsOf(informer.resource, options.served ?? everyNamespace)
    return parts.map((namespace) => {
      const first = Promise.withResolvers<void>()
      const labels = { kind: informer.resourceKind, watched_namespace: namespace ?? '' }
      const setState = states.add({ resource: informer.resource, namespace: namespace ?? '' })
      const done = reflect({
        ...options,
        resource: informer.resource,
        handler: createHandler(options, { informer, part: { ...informer, namespace }, synced: first.resolve }),
        part: namespace === undefined ? undefined : { namespace, of: parts.length, ...shared },
        onWaiting: (changes) => waiting?.set(changes, labels),
        onState: (state, refusal) => {
          setState(state, refusal)
          // A kind that cannot be listed does not delay the others (CON4).
          if (state === 'denied' || state === 'unserved') first.resolve()
        },
      }).finally(first.resolve)
      return { synced: first.promise, done }
    })
  })
  return {
    synced: Promise.all(running.map((one) => one.synced)).then(() => undefined),
    done: Promise.all(running.map((one) => one.done)).then(() => undefined),
  }
}

// The limit applies to all kinds and namespaces together. It is fast enough, and far below the connections of the pool.
const LISTS_AT_ONCE = 16

/** State shared by the reflectors of a process. */
export function createShared(cluster: KubeClient) {
  return { absence: createNamespaceAbsence(cluster), lists: createSemaphore(LISTS_AT_ONCE) }
}

const lastLists = new WeakMap<Informer, Map<string, string>>()

/**
 * The resourceVersion of this process's newest list that covers the place of an object. The watch reports newer changes, however late.
 * Undefined if the namespace is not watched.
 */
export function lastListOf(informer: Informer, object: ObjectPlace): string | undefined {
  const lists = lastLists.get(informer)
  return lists?.get('') ?? lists?.get(informer.resource.namespaced ? object.namespace : object.name)
}

/** Position of an object. */
interface ObjectPlace {
  readonly namespace: string
  readonly name: string
}

function noteList(informer: Informer, namespace: string, version: string): void {
  const lists = lastLists.get(informer) ?? new Map<string, string>()
  lastLists.set(informer, lists.set(namespace, version))
}

interface HandlerParts {
  readonly informer: Informer
  readonly part: InformerPart
  readonly synced: () => void
}

function createHandler(options: InformerOptions, { informer, part, synced }: HandlerParts): ReflectorHandler {
  const { store, log } = options
  const kind = informer.resourceKind
  const labels = { kind, watched_namespace: part.namespace ?? '' }
  const syncedGauge = options.metrics?.gauge(controllerMetrics.informerSynced)
  const lists = options.metrics?.counter(controllerMetrics.informerLists)
  const gaps = options.metrics?.counter(controllerMetrics.informerGaps)
  syncedGauge?.set(0, labels)
  let listed = new Set<string>()
  const toDeltas = (object: KubeObject, deleted: boolean): Delta[] => {
    const observation = observe(object, informer)
    if (observation === undefined) log.warn({ kind }, 'object without uid, name or resourceVersion ignored')
    return observation === undefined ? [] : [{ observation, deleted }]
  }
  return {
    resume: async () => ((await hasUnread(store, part)) ? undefined : resumeVersionOf(store, part)),
    listing: async (reason, since) => {
      listed = new Set()
      syncedGauge?.set(0, labels)
      lists?.inc({ ...labels, reason })
      if (reason === 'resumed' || (reason === 'start' && !(await hasObjects(store, part)))) return
      await announceGap(store, part, reason, since)
      gaps?.inc(labels)
    },
    page: async (objects) => {
      const deltas = objects.flatMap((object) => toDeltas(object, false))
      for (const { observation } of deltas) listed.add(observation.uid)
      await recordIsolated(log, deltas, (some) => recordDeltas(store, part, some, { late: true }))
    },
    listed: async (resourceVersion) => {
      await recordListEnd(store, part, listed, resourceVersion)
      noteList(informer, part.namespace ?? '', resourceVersion)
      listed = new Set()
      syncedGauge?.set(1, labels)
      synced()
    },
    changed: async (changes, through) => {
      const deltas = changes.flatMap(({ type, object }) => toDeltas(object, type === 'deleted'))
      await recordIsolated(log, deltas, (some) =>
        // Part of a batch does not store the version of the whole; the next batch does.
        recordDeltas(store, part, some, { late: false, through: some === deltas ? through : undefined }),
      )
    },
  }
}

/**
 * Records a batch. A failed one is halved, so that an object that cannot be stored blocks no other (A11). Rethrows if the store is
 * unavailable.
 */
async function recordIsolated(
  log: Logger,
  deltas: readonly Delta[],
  record: (deltas: readonly Delta[]) => Promise<void>,
): Promise<void> {
  try {
    await record(deltas)
  } catch (error) {
    if (isRetryable(error) || (error instanceof Fail && error.code === 'store_unavailable')) throw error
    const half = Math.ceil(deltas.length / 2)
    if (deltas.length > 1) {
      await recordIsolated(log, deltas.slice(0, half), record)
      return recordIsolated(log, deltas.slice(half), record)
    }
    log.error({ uid: deltas[0]?.observation.uid, ...describeError(error) }, 'object not recorded')
  }
}

async function announceGap(
  store: Store,
  informer: InformerPart,
  reason: Exclude<ListReason, 'resumed'>,
  since: string | undefined,
): Promise<void> {
  const { group } = informer.resource
  const kind = informer.resourceKind
  const { namespace } = informer
  const data = {
    group,
    kind,
    reason,
    ...(namespace === undefined ? {} : { namespace }),
    ...(since === undefined ? {} : { fromResourceVersion: since }),
  }
  const subject = { namespace: informer.resource.namespaced ? namespace : undefined, kind, name: kind }
  await store.transact((tx) => tx.append(`cluster/${group}/${kind}`, 'any', [{ type: observationGap, subject, data }]))
}
