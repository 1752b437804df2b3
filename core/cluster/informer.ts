import { Fail } from '#core/http/errors.ts'
import type { Informer } from '#core/host/work.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import { isRetryable } from '#core/store/store-failure.ts'
import type { Store } from '#core/store/store.ts'
import { clusterMetrics } from '#core/telemetry/core-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { describeError } from './describe-error.ts'
import { observationGap } from './events.ts'
import { followedThrough } from './followed.ts'
import { observe } from './observation.ts'
import { reflect } from './reflector.ts'
import type { ListReason, ReflectorHandler } from './reflector.ts'
import { remember, rememberMissing, wasObserved } from './remember.ts'
import type { Sight } from './remember.ts'

/** What informers run on: the manager's own identity, the store, and a signal that ends them. */
export interface InformerOptions {
  readonly cluster: KubeClient
  readonly store: Store
  readonly informers: readonly Informer[]
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

/** Follows each kind and turns every change into one event (A4). Any number of replicas may run it at once. */
export function runInformers(options: InformerOptions): RunningWork {
  const waiting = options.metrics?.gauge(clusterMetrics.informerWaiting)
  const running = options.informers.map((informer) => {
    const first = Promise.withResolvers<void>()
    const handler = createHandler(options, informer, first.resolve)
    const onWaiting = (changes: number): void => waiting?.set(changes, { kind: informer.resourceKind })
    const done = reflect({ ...options, resource: informer.resource, handler, onWaiting }).finally(first.resolve)
    return { synced: first.promise, done }
  })
  return {
    synced: Promise.all(running.map((one) => one.synced)).then(() => undefined),
    done: Promise.all(running.map((one) => one.done)).then(() => undefined),
  }
}

const lastLists = new WeakMap<Informer, string>()

/** The resourceVersion of the newest list that this process has been through; what is newer, its watch tells, however late. */
export function lastListOf(informer: Informer): string | undefined {
  return lastLists.get(informer)
}

function createHandler(options: InformerOptions, informer: Informer, synced: () => void): ReflectorHandler {
  const { store, log } = options
  const kind = informer.resourceKind
  const followed = options.metrics?.gauge(clusterMetrics.informerSynced)
  const lists = options.metrics?.counter(clusterMetrics.informerLists)
  const gaps = options.metrics?.counter(clusterMetrics.informerGaps)
  followed?.set(0, { kind })
  let present = new Set<string>()
  const sight = (object: KubeObject, gone: boolean): Sight[] => {
    const seen = observe(object, informer.audited)
    if (seen === undefined) log.warn({ kind }, 'an object without uid, name or version was left out')
    return seen === undefined ? [] : [{ seen, gone }]
  }
  return {
    resume: () => followedThrough(store, informer),
    listing: async (reason, since) => {
      present = new Set()
      followed?.set(0, { kind })
      lists?.inc({ kind, reason })
      if (reason === 'resumed' || (reason === 'start' && !(await wasObserved(store, informer)))) return
      await announceGap(store, informer, reason, since)
      gaps?.inc({ kind })
    },
    page: async (objects) => {
      const sights = objects.flatMap((object) => sight(object, false))
      for (const { seen } of sights) present.add(seen.uid)
      await eachIfNot(log, sights, (part) => remember(store, informer, part, { late: true }))
    },
    listed: async (resourceVersion) => {
      await rememberMissing(store, informer, present, resourceVersion)
      lastLists.set(informer, resourceVersion)
      present = new Set()
      followed?.set(1, { kind })
      synced()
    },
    changed: async (changes, through) => {
      const sights = changes.flatMap(({ type, object }) => sight(object, type === 'deleted'))
      await eachIfNot(log, sights, (part) =>
        // A part does not say that the rest is stored; the next batch does.
        remember(store, informer, part, { late: false, through: part === sights ? through : undefined }),
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
  informer: Informer,
  reason: Exclude<ListReason, 'resumed'>,
  since: string | undefined,
): Promise<void> {
  const { group } = informer.resource
  const kind = informer.resourceKind
  const data = { group, kind, reason, ...(since === undefined ? {} : { fromResourceVersion: since }) }
  await store.transact((tx) =>
    tx.append(`cluster/${group}/${kind}`, 'any', [
      { type: observationGap, subject: { namespace: undefined, kind, name: kind }, data },
    ]),
  )
}
