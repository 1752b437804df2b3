import { Fail } from '#core/http/errors.ts'
import type { Informer } from '#core/host/work.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Store } from '#core/store/store.ts'
import { clusterMetrics } from '#core/telemetry/core-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { describeError } from './describe-error.ts'
import { observationGap } from './events.ts'
import { observe } from './observation.ts'
import type { Observation } from './observation.ts'
import { reflect } from './reflector.ts'
import type { ListReason, ReflectorHandler } from './reflector.ts'
import { rememberDeleted, rememberMissing, rememberSeen, wasObserved } from './remember.ts'

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
  const running = options.informers.map((informer) => {
    const first = Promise.withResolvers<void>()
    const handler = createHandler(options, informer, first.resolve)
    const done = reflect({ ...options, resource: informer.resource, handler }).finally(first.resolve)
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
  const readable = (objects: readonly KubeObject[]): Observation[] =>
    objects.flatMap((object) => {
      const seen = observe(object)
      if (seen === undefined) log.warn({ kind }, 'an object without uid, name or version was left out')
      return seen ?? []
    })
  return {
    listing: async (reason, since) => {
      present = new Set()
      followed?.set(0, { kind })
      lists?.inc({ kind, reason })
      if (reason === 'start' && !(await wasObserved(store, informer))) return
      await announceGap(store, informer, reason, since)
      gaps?.inc({ kind })
    },
    page: async (objects) => {
      const seen = readable(objects)
      for (const one of seen) present.add(one.uid)
      await eachIfNot(log, seen, (part) => rememberSeen(store, informer, part, true))
    },
    listed: async (resourceVersion) => {
      await rememberMissing(store, informer, present, resourceVersion)
      lastLists.set(informer, resourceVersion)
      present = new Set()
      followed?.set(1, { kind })
      synced()
    },
    changed: async (type, object) => {
      const remember = type === 'deleted' ? rememberDeleted : rememberOne
      await eachIfNot(log, readable([object]), async ([one]) => {
        if (one !== undefined) await remember(store, informer, one, false)
      })
    },
  }
}

function rememberOne(store: Store, informer: Informer, seen: Observation, late: boolean): Promise<void> {
  return rememberSeen(store, informer, [seen], late)
}

/** Together if possible, else one by one, so that what cannot be stored never stops the rest (A11). A store that is down stops all. */
async function eachIfNot(
  log: Logger,
  seen: readonly Observation[],
  remember: (seen: readonly Observation[]) => Promise<void>,
): Promise<void> {
  try {
    await remember(seen)
  } catch (error) {
    if (error instanceof Fail && error.code === 'store_unavailable') throw error
    if (seen.length > 1) {
      for (const one of seen) await eachIfNot(log, [one], remember)
      return
    }
    log.error({ uid: seen[0]?.uid, ...describeError(error) }, 'an observed object could not be remembered')
  }
}

async function announceGap(
  store: Store,
  informer: Informer,
  reason: ListReason,
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
