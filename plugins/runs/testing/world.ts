import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { Agent } from 'undici'
import type { ServiceEndpoint } from '#core/cluster/endpoint-slices.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Database } from '#core/database/database.ts'
import type { Store } from '#core/event-store/store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createRoleEmbeddings } from '#core/retrieval/embeddings.ts'
import { createRoleModels } from '#core/role-models/role-models.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createRun } from '../create/create-run.ts'
import type { NewRun } from '../create/create-run.ts'
import type { LiveUpdates } from '../contract/live-frame.ts'
import { createLiveUpdates } from '../stream/live-updates.ts'
import { runsProjection } from '../projections.ts'
import { createRunWatch } from '../stream/run-watch.ts'
import type { RunWatch } from '../stream/run-watch.ts'
import { runsSettings } from '../contract/settings.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { WorkerServices } from '../worker/segment/worker-services.ts'
import { createLauncherClient } from '../worker/connections/launcher-client.ts'
import { createLaunchers } from '../worker/connections/choose-launcher.ts'
import { runLoop } from '../worker/claim-loop.ts'
import type { LoopOptions } from '../worker/claim-loop.ts'
import { traceparentBelow } from '../worker/run-span.ts'
import { createRunWriter } from '../lifecycle/run-writer.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'

/** Store, bus and writer of a process, without a host. */
export interface World {
  readonly store: Store
  readonly live: LiveUpdates
  readonly watch: RunWatch
  readonly writer: RunWriter
  readonly core: { readonly now: () => Date }
  readonly settings: Static<typeof runsSettings>
}

/** The agent of these tests. */
export const agent = { namespace: 'default', name: 'robot', uid: 'uid-1' }

/** What the database of a world is migrated by: a worker also reads the object index. */
export const worldMigrations: readonly MigrationSource[] = [
  storeMigrations,
  { name: 'cluster', migrations: clusterMigrations },
  { name: 'runs', migrations: new URL('../migrations/', import.meta.url) },
]

/** Creates a world on a migrated database. */
export function createWorld(
  database: Database,
  bus: Bus = createMemoryBus(),
  some: Partial<Static<typeof runsSettings>> = {},
): World {
  const settings = { ...Value.Create(runsSettings), ...some }
  const store = createStore(database, { projections: [runsProjection] })
  const live = createLiveUpdates(bus)
  const now = () => new Date()
  const watch = createRunWatch(store, 100)
  return { store, live, watch, writer: createRunWriter(store, { live, now }), core: { now }, settings }
}

const noGateway = { gatewayUrl: () => '', bearer: undefined }

/** Services of a worker with unsigned launchers: one by its address, or several. */
export function workerServices(
  world: World,
  where: () => string | undefined | readonly ServiceEndpoint[],
  unreachableAfterMs = 60_000,
): WorkerServices & { close(): Promise<void> } {
  const dispatcher = new Agent({ connections: null, pipelining: 1 })
  const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }
  return {
    ...world,
    log: silent,
    unreachableAfterMs,
    busyPatienceMs: 100,
    cancelPatienceMs: 30_000,
    agentTimeoutMs: 3_600_000,
    limits: world.settings,
    maxAttempts: world.settings.maxAttempts,
    retryMs: 100,
    close: () => dispatcher.destroy(),
    recheck: async () => ({ allowed: true }),
    forExecutors: {
      embeddings: createRoleEmbeddings(noGateway),
      models: createRoleModels(noGateway),
      objects: undefined,
      snapshot: () => Promise.reject(new Error('not asked')),
      list: () => Promise.reject(new Error('not asked')),
    },
    readiness: async () => ({ outcome: 'waits', reason: 'Progressing' }),
    launchersOf: (run, { revision }, claim) => {
      const credentials = async () => ({ grant: '', attempt: '', traceparent: traceparentBelow(run) })
      return createLaunchers({
        list: async () => {
          const there = where() ?? []
          return typeof there === 'string' ? [{ id: there, url: there, ready: true }] : there
        },
        connect: (at, isGone) =>
          createLauncherClient({
            dispatcher,
            at,
            runId: run.id,
            credentials,
            isGone,
            revision: revision ?? undefined,
          }),
        preferred: claim.launcher?.id,
      })
    },
  }
}

/** Starts a worker in this process; `stop` releases its leases. */
export function startWorker(
  services: ReturnType<typeof workerServices>,
  holder: string,
  options: Partial<LoopOptions> = {},
): { stop(): Promise<void> } {
  const end = new AbortController()
  const done = runLoop(services, { holder, concurrency: 16, namespaceShare: 100, ...options }, end.signal)
  return {
    stop: async () => {
      end.abort()
      await done
      await services.close()
    },
  }
}

/** Queues a run of the test agent. */
export function queueRun(
  world: World,
  input: unknown,
  conversationId = uuidV7(),
  parent?: SelectedRun,
): Promise<SelectedRun> {
  return queueRunOf(world, { input, conversationId, ...(parent ? { parent } : {}) })
}

/** Queues a run of the test agent; `some` replaces defaults. */
export function queueRunOf(world: World, some: Partial<NewRun>): Promise<SelectedRun> {
  const runId = uuidV7()
  return createRun(world, {
    runId,
    agent,
    namespaceUid: 'ns-uid',
    input: null,
    conversationId: uuidV7(),
    labels: {},
    trigger: { kind: 'api', by: 'alice' },
    subject: 'alice',
    actor: { name: 'alice', kind: 'user' },
    grant: 'unsigned',
    traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
    ...some,
  })
}

/** Waits until `fits` returns true for a run. */
export async function settled(
  world: World,
  runId: string,
  fits: (run: SelectedRun) => boolean,
  waitMs = 60_000,
): Promise<SelectedRun> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const run = await findRun(world.store.reader<RunsTables>(), runId)
    if (run && fits(run)) return run
    if (performance.now() > deadline) throw new Error(`run ${runId} stays ${run?.state ?? 'unknown'}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
