import { createSemaphore } from '#core/async/semaphore.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import { isRetryable } from '#core/database/database-errors.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Informer } from './watch/declarations.ts'
import { describeError } from '#core/errors/describe-error.ts'
import { observationGap } from './objects/object-events.ts'
import { followedThrough } from './objects/resume-version.ts'
import type { InformerPart } from './objects/resume-version.ts'
import { controllerMetrics } from './watch/metrics.ts'
import { createNamespaceAbsence } from './watch/namespace-absence.ts'
import { observe } from './objects/object-fingerprint.ts'
import { reflect } from './watch/reflector.ts'
import type { ListReason, ReflectorHandler } from './watch/reflector.ts'
import { remember, rememberMissing, wasObserved } from './objects/record-changes.ts'
import type { Sight } from './objects/record-changes.ts'
import { everyNamespace, partsOf } from '#core/cluster/served-namespaces.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createWatchStates } from './watch/watch-states.ts'
import type { WatchStates } from './watch/watch-states.ts'

/** What informers run on: the manager's own identity, the store, and a signal that ends them. */
export interface InformerOptions {
  readonly cluster: KubeClient
  readonly store: Store
  readonly informers: readonly Informer[]
  /** Default: every namespace, as one. */
  readonly served?: ServedNamespaces
  readonly states?: WatchStates
  readonly log: Logger
  readonly metrics?: Metrics
  readonly signal: AbortSignal
  readonly pageSize?: number
  readonly watchSeconds?: number
}

/** Running background work: `synced` when the first lists are through, `done` when everything has ended. */
export interface RunningWork {
  readonly synced: Promise<void>
  readonly done: Promise<void>
}

/**
 * Follows each kind, where namespaces are chosen in each of them, and turns every change into one event (A4). Any number of replicas may
 * run it at once.
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
      const setState = states.add({ kind: informer.resourceKind, namespace: namespace ?? '' })
      const done = reflect({
        ...options,
        resource: informer.resource,
        handler: createHandler(options, { informer, part: { ...informer, namespace }, synced: first.resolve }),
        part: namespace === undefined ? undefined : { namespace, of: parts.length, ...shared },
        onWaiting: (changes) => waiting?.set(changes, labels),
        onState: (state) => {
          setState(state)
          // A namespace that is denied does not hold back the others.
          if (state === 'denied') first.resolve()
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

// Of all kinds and namespaces together: enough to be quick, far from the connections of the pool.
const LISTS_AT_ONCE = 16

/** What the parts of a set of reflectors share. */
export function createShared(cluster: KubeClient) {
  return { absence: createNamespaceAbsence(cluster), lists: createSemaphore(LISTS_AT_ONCE) }
}

const lastLists = new WeakMap<Informer, Map<string, string>>()

/**
 * The resourceVersion of the newest list that this process has been through and that had the place of an object; what is newer, its
 * watch reports, however late. Undefined where the namespace is not followed.
 */
export function lastListOf(informer: Informer, object: ObjectPlace): string | undefined {
  const lists = lastLists.get(informer)
  return lists?.get('') ?? lists?.get(informer.resource.namespaced ? object.namespace : object.name)
}

/** Where an object is. */
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
  const followed = options.metrics?.gauge(controllerMetrics.informerSynced)
  const lists = options.metrics?.counter(controllerMetrics.informerLists)
  const gaps = options.metrics?.counter(controllerMetrics.informerGaps)
  followed?.set(0, labels)
  let present = new Set<string>()
  const sight = (object: KubeObject, gone: boolean): Sight[] => {
    const seen = observe(object, informer.audited)
    if (seen === undefined) log.warn({ kind }, 'an object without uid, name or version was left out')
    return seen === undefined ? [] : [{ seen, gone }]
  }
  return {
    resume: () => followedThrough(store, part),
    listing: async (reason, since) => {
      present = new Set()
      followed?.set(0, labels)
      lists?.inc({ ...labels, reason })
      if (reason === 'resumed' || (reason === 'start' && !(await wasObserved(store, part)))) return
      await announceGap(store, part, reason, since)
      gaps?.inc(labels)
    },
    page: async (objects) => {
      const sights = objects.flatMap((object) => sight(object, false))
      for (const { seen } of sights) present.add(seen.uid)
      await eachIfNot(log, sights, (some) => remember(store, part, some, { late: true }))
    },
    listed: async (resourceVersion) => {
      await rememberMissing(store, part, present, resourceVersion)
      noteList(informer, part.namespace ?? '', resourceVersion)
      present = new Set()
      followed?.set(1, labels)
      synced()
    },
    changed: async (changes, through) => {
      const sights = changes.flatMap(({ type, object }) => sight(object, type === 'deleted'))
      await eachIfNot(log, sights, (some) =>
        // Some of them do not say that the rest is stored; the next batch does.
        remember(store, part, some, { late: false, through: some === sights ? through : undefined }),
      )
    },
  }
}

/** Together if possible, else in halves, so that what cannot be stored never stops the rest (A11). A store that is down stops all. */
async function eachIfNot(
  log: Logger,
  sights: readonly Sight[],
  store: (sights: readonly Sight[]) => Promise<void>,
): Promise<void> {
  try {
    await store(sights)
  } catch (error) {
    if (isRetryable(error) || (error instanceof Fail && error.code === 'store_unavailable')) throw error
    const half = Math.ceil(sights.length / 2)
    if (sights.length > 1) {
      await eachIfNot(log, sights.slice(0, half), store)
      return eachIfNot(log, sights.slice(half), store)
    }
    log.error({ uid: sights[0]?.seen.uid, ...describeError(error) }, 'an observed object could not be remembered')
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
