import { randomUUID } from 'node:crypto'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import { runStores } from '#core/controllers/follow-stores.ts'
import { runInformers } from '#core/controllers/informer.ts'
import { pruneTombstones } from '#core/controllers/objects/object-index.ts'
import { pruneReports } from '#core/controllers/objects/reported-objects.ts'
import type { WatchStates } from '#core/controllers/watch/watch-states.ts'
import type { Database } from '#core/database/database.ts'
import { createJobTicks } from '#core/tasks/cron-ticks.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { createRetention } from '#core/event-store/maintenance/event-retention.ts'
import type { RunningBackgroundWork, Term } from '#core/jobs/background-work.ts'
import { workMetrics } from '#core/jobs/metrics.ts'
import { planOf } from '#core/messaging/bus/durable-consumers.ts'
import { keepStreams } from '#core/messaging/bus/recreate-lost-stream.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { startConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { followEvents } from '#core/messaging/follow-events.ts'
import { createLagJob } from '#core/messaging/lag-metrics.ts'
import { createRelay } from '#core/messaging/outbox-relay.ts'
import { readCursor, relayName } from '#core/messaging/relay-cursor.ts'
import { runTasks } from '#core/tasks/run-tasks.ts'
import { createTaskMetricsJob, createTaskRetention } from '#core/tasks/task-jobs.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { driftOf } from './platform-bus.ts'
import type { StreamState } from './platform-bus.ts'
import type { PlatformStore } from './platform-store.ts'
import type { ConsumerWork, Platform } from './platform.ts'
import type { SharedParts } from './shared-parts.ts'
import { until } from './wait-for-dependency.ts'

/** Parts of one role that its background work uses. */
export interface PlatformWorkParts {
  readonly store: PlatformStore | undefined
  readonly streams: StreamState
  readonly states: WatchStates
  readonly identity: OwnIdentity | undefined
}

/** Creates the background work of a role: jobs, relay, consumers, informers, reconcilers and leader election. */
export function createPlatformWork(
  shared: SharedParts,
  parts: PlatformWorkParts,
): Pick<
  Platform,
  'workerJobs' | 'ticks' | 'tasks' | 'runTasks' | 'relay' | 'consume' | 'inform' | 'reconcile' | 'follow' | 'lead'
> {
  const { database, log, metrics, served, eventRetentionDays: retentionDays } = shared
  const { store } = parts
  const holder = randomUUID()
  const lead = async (name: string, work: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void> => {
    if (database === undefined) return work({ epoch: 0n, signal })
    await createLeaderElection({ database, holder, name }).run(followed(metrics, name, work), signal)
  }
  const own = (): OwnIdentity => {
    if (parts.identity === undefined) throw new Error('this role has no identity of its own')
    return parts.identity
  }
  let taskTypes: readonly string[] = []
  return {
    lead,
    ticks: database === undefined ? undefined : createJobTicks(database),
    tasks: createTaskQueue(database),
    runTasks: (handlers, signal) => {
      taskTypes = handlers.map(({ type }) => type.name)
      return database === undefined ? { done: Promise.resolve() } : runTasks({ ...shared, database, handlers, signal })
    },
    workerJobs:
      database === undefined
        ? []
        : [
            createRetention({ database, retentionDays, also: [pruneTombstones, pruneReports] }),
            createLagJob(database, metrics),
            createTaskRetention({ database }),
            createTaskMetricsJob(database, metrics, () => taskTypes),
          ],
    relay: (consumers, signal) => ({
      done:
        database === undefined ? Promise.resolve() : lead(relayName, relayWork(shared, database, consumers), signal),
    }),
    consume: (consumers, signal) => consume(shared, parts, consumers, signal),
    inform: (informers, signal): RunningBackgroundWork => {
      if (store === undefined) return { done: Promise.resolve() }
      const { cluster } = own()
      return runInformers({
        cluster,
        store: store.store,
        informers,
        served,
        states: parts.states,
        log,
        metrics,
        signal,
      })
    },
    reconcile: (reconcilers, signal) =>
      runReconcilers({
        cluster: own().cluster,
        reconcilers,
        retries: shared.retries,
        attempts: shared.attempts,
        events: database && ((follower, end) => followEvents(database, follower, end)),
        served,
        states: parts.states,
        log,
        signal,
        metrics,
      }),
    follow: (stores, signal) =>
      runStores(stores, {
        cluster: own().cluster,
        served,
        states: parts.states,
        log,
        signal,
        metrics,
        // The gateway may not read Namespaces. In one that does not exist its lists are denied or empty.
        absence: async () => undefined,
      }),
  }
}

// The leader of the relay creates the stream, too: no other process needs it to write.
function relayWork(shared: SharedParts, database: Database, consumers: readonly Consumer[]) {
  const { bus, install, log, metrics, tracer, relayPollMs } = shared
  const relay = createRelay({ database, bus, install, log, metrics, tracer, pollMs: relayPollMs })
  const published = async (): Promise<boolean> => (await readCursor(database)) > 0n
  return async (term: Term): Promise<void> => {
    const streams = keepStreams({ bus, durables: planOf(consumers), published, log }, term.signal)
    await Promise.all([relay.run(term), streams])
  }
}

function consume(
  { database, bus, feed, log, metrics, tracer }: SharedParts,
  { store, streams }: Pick<PlatformWorkParts, 'store' | 'streams'>,
  consumers: readonly Consumer[],
  signal: AbortSignal,
): ConsumerWork {
  if (database === undefined || store === undefined) throw new Error('consumers need a store')
  const started = until({ what: 'the store', log, signal }, async () => {
    await store.check()
    return startConsumers({ store: store.store, database, bus: feed ?? bus, consumers, log, metrics, tracer })
  })
  // A feed needs the store only; without one the log is swept while the bus is unavailable.
  const begin = async (): Promise<void> => {
    const running = await started
    if (feed === undefined) await bus.check().catch(() => running.sweepMeanwhile())
    else await until({ what: 'the store', log, signal }, () => running.subscribe())
  }
  const begun = begin()
  // `subscribe` reports a failure to start.
  begun.catch(() => undefined)
  const subscribe = async (): Promise<void> => {
    const running = await started
    await until({ what: 'the streams', log, signal }, async () => {
      streams.drift = await driftOf(bus, consumers)
      if (streams.drift !== undefined) throw streams.drift
      if (feed === undefined) await running.subscribe()
    })
    if (feed !== undefined) await begun
  }
  const stop = async (): Promise<void> => {
    const [running] = await Promise.allSettled([started, aborted(signal)])
    if (running.status === 'fulfilled') await running.value.stop()
  }
  return { done: stop(), subscribe }
}

function followed(metrics: Metrics, name: string, work: (term: Term) => Promise<void>) {
  const leads = metrics.gauge(workMetrics.leader)
  const epoch = metrics.gauge(workMetrics.leaderEpoch)
  leads.set(0, { name })
  return async (term: Term): Promise<void> => {
    leads.set(1, { name })
    epoch.set(Number(term.epoch), { name })
    await work(term).finally(() => leads.set(0, { name }))
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
