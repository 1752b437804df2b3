import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createCostApi } from '#plugins/cost/create-api.ts'
import type { CostServices } from '#plugins/cost/services.ts'
import { summaryEndpoint } from '#plugins/overview/summary.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { readFailingAgents, readPausedRuns } from '#plugins/runs/store/run-troubles.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const agents = 10_000
const runs = 100_000
const calls = 100
const part = 5_000

/** CPU of one summary at the API, of an installation with many objects and runs, against a request to /api/health of the same server. */
export const bench: Bench = {
  title: `CPU of a summary of ${agents} agents, a tenth of them unwell, and ${runs} runs (ms)`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const postgres = await startPostgres(t, { settings: { shared_buffers: '256MB', autovacuum: 'off' } })
      const database = await openDatabase({ url: postgres.url })
      t.after(() => database.close())
      const of = (name: string) => ({ name, migrations: new URL(`../../plugins/${name}/migrations/`, import.meta.url) })
      await migrate(database, [...coreMigrations, of('runs'), of('cost')])
      await fill(database)
      const store = createStore(database, { projections: [] })
      const db = store.reader<RunsTables>()
      const api = {
        pausedRuns: (access, top) => readPausedRuns(db, access, top),
        failingAgents: (access, since, top) => readFailingAgents(db, access, since, top),
      } as Pick<RunsApi, 'pausedRuns' | 'failingAgents'> as RunsApi
      const now = () => new Date()
      const cost = createCostApi({ store, now } as CostServices)
      const { app } = await buildServer(t, [{ endpoints: [summaryEndpoint({ store, now, runs: api, cost })] }], {
        store,
      })
      const ask = (url: string) => app.inject({ url, headers: { authorization: 'Bearer good-token' } })
      return interleave(
        [candidate('health', () => ask('/api/health')), candidate('summary', () => ask('/api/summary'))],
        {
          rounds: 3,
          most: 6,
        },
      )
    }),
  goals: (figureOf) => [
    {
      text: 'CPU of one summary (ms)',
      value: figureOf('summary', 'cpu ms'),
      limit: 5,
      peer: { candidate: 'health', figure: 'cpu ms' },
    },
  ],
}

function candidate(name: string, ask: () => Promise<unknown>) {
  return {
    name,
    run: async () => {
      const from = process.cpuUsage()
      for (let n = 0; n < calls; n++) await ask()
      const { user, system } = process.cpuUsage(from)
      return { 'cpu ms': (user + system) / 1_000 / calls }
    },
  }
}

async function fill(database: Database): Promise<void> {
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, problems)
    select 'agent-' || n, 'AgentDeployment', 'busy', 'agent-' || n, '1', 'x',
      case when n % 10 = 0 then '{"Ready": {"reason": "NotReady", "since": "2026-11-20T08:00:00.000Z"}}' else '{}' end::jsonb
    from generate_series(1, ${agents}::integer) n
    union all select 'uid-busy', 'Namespace', '', 'busy', '1', 'x', '{}'`.execute(database.root)
  // In parts: each is a statement within the limits of requests.
  for (let first = 1; first < runs; first += part)
    await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id,
      trigger_kind, trigger_by, subject, state, pause_reason, labels, trace_id, created_at)
    select r.id, 1, 'busy', 'uid-busy', 'agent-' || n % 1000, 'agent-' || n % 1000, r.id::text, r.id, 'api', 'x', 'x',
      case when n % 100 = 0 then 'paused' when n % 7 = 0 then 'failed' else 'succeeded' end,
      case when n % 100 = 0 then 'approval_required' end, '{}', 't', now() - make_interval(secs => n % 86000)
    from (select n, gen_random_uuid() as id from generate_series(${first}::integer, ${first + part - 1}::integer) n) r`.execute(
      database.root,
    )
  await sql`insert into runs_sums select (jsonb_populate_record(null::runs_sums, jsonb_build_object(
      'namespace_uid', 'uid-busy', 'namespace', 'busy', 'agent_uid', agent_uid, 'agent', agent_name, 'state', state,
      'fail_reason', '', 'trigger_kind', 'api', 'model', '', 'currency', '', 'width', 3600,
      'start', date_bin('1 hour', created_at, 'epoch'::timestamptz), 'runs', count(*), 'input_tokens', 0,
      'output_tokens', 0, 'cached_tokens', 0, 'reasoning_tokens', 0, 'micros', 0, 'duration', 0, 'queue', 0,
      'first_token', 0))).*
    from runs_runs group by agent_uid, agent_name, state, date_bin('1 hour', created_at, 'epoch'::timestamptz)`.execute(
    database.root,
  )
  for (const table of ['object_index', 'runs_runs', 'runs_sums'])
    await sql`analyze ${sql.table(table)}`.execute(database.root)
}
