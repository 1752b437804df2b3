import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Database } from '#core/database/database.ts'
import { createRun } from '#plugins/runs/create/create-run.ts'
import type { RunExecutor } from '#plugins/runs/contract/points.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { snapshotRun } from '#plugins/runs/read/snapshot-run.ts'
import { listRunsOfUid } from '#plugins/runs/store/lists/sealed-runs.ts'
import { queueRunOf, startWorker, workerServices } from '#plugins/runs/testing/world.ts'
import type { World } from '#plugins/runs/testing/world.ts'
import type { ExportRequest } from '../export/export-state.ts'
import { insertExport } from '../store/exports.ts'

const namespace = { namespace: 'default', namespaceUid: 'ns-uid' }
const allowed = { may: async () => ({ namespace: 'default' }) as never }

/** Starts a worker with an executor. It reads every run of `default`: sealed accesses have their own tests. */
export function startExportWorker(world: World, executor: RunExecutor): { stop(): Promise<void> } {
  const { store } = world
  const services = workerServices(world, () => undefined, 300)
  const forExecutors = {
    ...services.forExecutors,
    list: (_access: string, filter: object, page: { readonly limit: number }) =>
      listRunsOfUid(store.reader<RunsTables>(), namespace, filter, page),
    snapshot: (_access: string, runId: string, most: Parameters<typeof snapshotRun>[3]) =>
      snapshotRun(store, allowed, runId, most),
  }
  return startWorker({ ...services, forExecutors, executors: [executor] }, uuidV7())
}

/** Queues an export, as its route does. */
export async function queueTestExport(world: World, request: ExportRequest): Promise<string> {
  const runId = uuidV7()
  await world.store.transact((tx) =>
    insertExport(tx, {
      run_id: runId,
      namespace: 'default',
      namespace_uid: 'ns-uid',
      dataset: request.dataset,
      into_dataset: request.into,
      sealed_access: 'sealed',
      created_by: 'alice',
      created_at: new Date(),
    }),
  )
  await createRun(world, {
    runId,
    executor: { kind: 'export', namespace: 'default' },
    namespaceUid: 'ns-uid',
    input: request,
    conversationId: uuidV7(),
    labels: {},
    trigger: { kind: 'export', by: 'alice' },
    subject: 'alice',
    actor: { name: 'alice', kind: 'user' },
    grant: 'unsigned',
    traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
  })
  return runId
}

/** Creates runs that have succeeded, oldest first. */
export async function createEndedRuns(database: Database, world: World, inputs: readonly unknown[]): Promise<string[]> {
  const ids: string[] = []
  for (const input of inputs) ids.push((await queueRunOf(world, { input })).id)
  await endRuns(database)
  return ids
}

/** Ends every queued run of an agent with an output, without a worker. */
export async function endRuns({ root }: Database): Promise<void> {
  await sql`update runs_lease set state = 'done' where run_id in (select id from runs_runs where agent_uid is not null)`.execute(
    root,
  )
  await sql`update runs_content set output = '{"said":"mail ada@example.com"}'
    where run_id in (select id from runs_runs where agent_uid is not null)`.execute(root)
  await sql`update runs_runs set state = 'succeeded', started_at = created_at, finished_at = created_at
    where agent_uid is not null and state = 'queued'`.execute(root)
}
