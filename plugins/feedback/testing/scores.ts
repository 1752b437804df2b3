import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { markRatedIn } from '#plugins/runs/store/rated-runs.ts'
import { lockRun } from '#plugins/runs/store/internal/lease.ts'
import type { RunsTables, SelectedRun } from '#plugins/runs/contract/tables.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { FoundRun } from '#plugins/runs/contract/api.ts'
import { feedbackConsumers } from '../consumers.ts'
import { recordScore } from '../record-score.ts'
import type { NewScore, RecordServices } from '../record-score.ts'
import type { FeedbackServices } from '../services.ts'
import { feedbackSettings } from '../contract/settings.ts'
import { listScores } from '../store/scores.ts'
import type { ScoreFilter } from '../store/scores.ts'
import type { FeedbackTables } from '../contract/tables.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../../runs/migrations/', import.meta.url) }
/** Migrations of the plugin. */
export const feedbackMigrations = { name: 'feedback', migrations: new URL('../migrations/', import.meta.url) }

/** Scores on a migrated database with runs of the test agent, in a live namespace `default`. */
export async function openScores(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  some: Partial<RecordServices['settings']> = {},
) {
  const database = await open(t, [
    { name: 'cluster', migrations: clusterMigrations },
    runsMigrations,
    feedbackMigrations,
  ])
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', '', 'default', '1', '')`.execute(database.root)
  const world = createWorld(database)
  const { store } = world
  const counts: string[] = []
  const services: RecordServices = {
    store,
    runs: {
      lockIn: async (tx, id) => (await lockRun(tx.tables<RunsTables>(), id)) !== undefined,
      markRatedIn: (tx, id) => markRatedIn(tx.tables<RunsTables>(), id),
    },
    settings: { ...Value.Create(feedbackSettings), ...some },
    now: () => new Date(),
    counted: ({ source, outcome }) => void counts.push(`${source} ${outcome}`),
  }
  const list = (filter: ScoreFilter = {}, namespace = 'default', page = { limit: 100, after: undefined }) =>
    listScores(store.reader<FeedbackTables>(), { namespace } as Access<'list', 'feedback'>, filter, page)
  return {
    database,
    world,
    services,
    counts,
    list,
    run: () => queueRunOf(world, {}),
    record: (run: SelectedRun, given: Partial<NewScore> = {}) =>
      recordScore(services, { run: foundOf(run), request: { value: 1 }, source: 'person', author: 'alice', ...given }),
    /** Delivers `runs.deleted` events. */
    async deliver(runIds: readonly string[]): Promise<void> {
      const [consumer] = feedbackConsumers({
        removed: (scores: number) => void counts.push(`removed ${scores}`),
      } as FeedbackServices)
      const events = runIds.map((runId) => ({ data: { runId } }))
      await store.transact((tx) => consumer?.handle(events as never, tx) ?? Promise.resolve())
    },
    async usage(): Promise<number | undefined> {
      const { rows } = await sql<{ scores: bigint }>`select scores from feedback_usage`.execute(database.root)
      return rows[0] === undefined ? undefined : Number(rows[0].scores)
    },
  }
}

function foundOf(run: SelectedRun): FoundRun {
  const {
    id,
    namespace,
    namespace_uid: namespaceUid,
    agent_name: agent,
    trace_id: traceId,
    trigger_kind: trigger,
  } = run
  return { id, namespace: namespace as DnsLabel, namespaceUid, agent, traceId, trigger }
}
