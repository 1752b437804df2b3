import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { RoleModels } from '#core/role-models/role-models.ts'
import { taskMigrations } from '#core/tasks/task-migrations.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import type { TaskContext } from '#core/tasks/task.ts'
import { endRuns } from '#plugins/datasets/testing/export-world.ts'
import { readMeanScores } from '#plugins/feedback/store/mean-scores.ts'
import type { FeedbackTables } from '#plugins/feedback/contract/tables.ts'
import { readEndedContent, readSucceeded } from '#plugins/runs/store/ended-runs.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import type { EvalTables, OnlineSpec } from '../contract/tables.ts'
import { evalsSettings } from '../contract/settings.ts'
import type { EvalsSettings } from '../contract/settings.ts'
import type { EvalsServices } from '../contract/services.ts'
import { builtInEvaluators } from '../evaluators/built-in.ts'
import { sampleRuns } from '../online/sample-runs.ts'
import { scoreRun } from '../online/score-run.ts'
import { onlineScoreEndpoint } from '../routes/online-score.ts'
import { replaceTargets } from '../store/online-targets.ts'

const sources = [
  { name: 'cluster', migrations: clusterMigrations },
  taskMigrations,
  ...['runs', 'feedback', 'evals'].map((name) => ({
    name,
    migrations: new URL(`../../${name}/migrations/`, import.meta.url),
  })),
]

const noModel: RoleModels = { paidBy: () => ({ chat: () => Promise.reject(new Error('no model')) }) }

/** A store with the runs' test agent `default/robot`, and the parts of the plugin that score its runs. */
export async function openOnline(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  {
    settings = {},
    models = noModel,
  }: { readonly settings?: Partial<EvalsSettings>; readonly models?: RoleModels } = {},
) {
  const database = await open(t, sources)
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, spec) values
    ('ns-uid', 'Namespace', '', 'default', '1', '', null),
    ('uid-1', 'AgentDeployment', 'default', 'robot', '1', '', '{}')`.execute(database.root)
  const world = createWorld(database)
  const { store } = world
  const observed = {
    find: async (_kind: string, _ns: string, name: string) => (name === 'robot' ? { uid: 'uid-1' } : undefined),
  }
  const silent = { warn: () => undefined }
  const services = {
    core: { tasks: createTaskQueue(database), observed, log: silent, outbound: undefined },
    store,
    now: () => new Date(),
    settings: { ...Value.Create(evalsSettings), ...settings },
    evaluators: () => builtInEvaluators,
    runs: { succeededIn: (tx: never, ids: readonly string[]) => readSucceeded(tablesOf(tx), ids) },
    feedback: {
      meansOf: (access: never, window: never) => readMeanScores(store.reader<FeedbackTables>(), access, window),
    },
  } as unknown as EvalsServices
  const online = {
    ...services,
    models,
    contentOf: (runId: string) => readEndedContent(store.reader<RunsTables>(), runId),
  }
  const context = { signal: new AbortController().signal, complete: async () => undefined } as unknown as TaskContext
  return {
    database,
    world,
    online,
    /** Runs that have succeeded, with this output. */
    endedRuns: async (count: number, output: unknown, trigger = 'api'): Promise<readonly string[]> => {
      const ids: string[] = []
      while (ids.length < count) ids.push((await queueRunOf(world, { trigger: { kind: trigger, by: 'alice' } })).id)
      await endRuns(database)
      await sql`update runs_content set output = ${JSON.stringify(output)}::jsonb where run_id = any(${ids}::uuid[])`.execute(
        database.root,
      )
      return ids
    },
    target: (spec: OnlineSpec) =>
      store.transact((tx) =>
        replaceTargets(tx.tables<EvalTables>(), 'suite-uid', [
          {
            agent_uid: 'uid-1',
            namespace: 'default',
            namespace_uid: 'ns-uid',
            agent: 'robot',
            suite: 'smoke',
            suite_uid: 'suite-uid',
            spec,
          },
        ]),
      ),
    /** Delivers `runs.succeeded`, as a worker does. */
    deliver: (ids: readonly string[]) =>
      store.transact((tx) => sampleRuns(services, tx, ids.map((runId) => ({ data: { runId } })) as never)),
    score: (runId: string, more: Partial<TaskContext> = {}) =>
      scoreRun(online, { payload: { runId } } as never, { ...context, ...more }),
    rows: async () => {
      const { rows } = await sql<{ run_id: string; state: string; reason: string | null; judge_micros: bigint }>`
        select run_id, state, reason, judge_micros from evals_online_runs order by run_id`.execute(database.root)
      return rows
    },
    serve: async () => {
      const directory = createServedDirectory([parseLabel('namespace', 'default')])
      const { app, upstream } = await buildServer(t, [{ endpoints: [onlineScoreEndpoint(services)] }], {
        store,
        directory,
      })
      const get = (query = '', { token = 'good-token', agent = 'robot' } = {}) =>
        app.inject({
          url: `/api/agents/default/${agent}/online-score${query}`,
          headers: token === '' ? {} : { authorization: `Bearer ${token}` },
        })
      return { get, upstream }
    },
  }
}

function tablesOf(tx: { readonly tables: () => unknown }) {
  return tx.tables() as Parameters<typeof readSucceeded>[0]
}
