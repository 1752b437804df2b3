import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Reader } from '#core/event-store/store.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { toListed, toRun } from '#plugins/runs/read/to-run.ts'
import { listRuns } from '#plugins/runs/store/lists/select-runs.ts'
import { noActivity, readActivity } from '#plugins/runs/store/read-activity.ts'
import { noCosts, readCosts } from '#plugins/runs/store/read-costs.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { median } from '../tools/statistics.ts'

const runs = Number(process.env['MESH_BENCH_LISTED'] ?? 20_000)
const reads = 50
const part = 5_000
const limit = 51

type Db = Reader<RunsTables>

/** A page of runs with all its fields, against the same page with state, costs and tokens only. */
export const bench: Bench = {
  title: `a page of ${limit} of ${runs} runs as JSON, median (ms); MESH_BENCH_LISTED sets how many`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const postgres = await startPostgres(t, {
        fsync: false,
        settings: { shared_buffers: '256MB', autovacuum: 'off' },
      })
      const database = await openDatabase({ url: postgres.url })
      t.after(() => database.close())
      const own = { name: 'runs', migrations: new URL('../../plugins/runs/migrations/', import.meta.url) }
      await migrate(database, [...coreMigrations, own])
      await fill(database)
      const db = createStore(database, { projections: [] }).reader<RunsTables>()
      return interleave([candidate('all fields', db, readWhole), candidate('without', db, readBare)], {
        rounds: 5,
        most: 10,
      })
    }),
  goals: (figureOf) => [
    {
      text: 'all fields against a page without them, ratio',
      value: figureOf('all fields', 'page') / figureOf('without', 'page'),
      limit: 1.3,
      peer: { candidate: 'without', figure: 'page' },
    },
  ],
}

async function readWhole(db: Db): Promise<unknown> {
  const found = await listRuns(db, access, {}, { limit })
  const [costs, activity] = await Promise.all([readCosts(db, found), readActivity(db, found)])
  return found.map((run) => toListed(run, costs.get(run.id) ?? noCosts, activity.get(run.id)))
}

async function readBare(db: Db): Promise<unknown> {
  const found = await listRuns(db, access, {}, { limit })
  const costs = await readCosts(db, found)
  return found.map((run) => toRun(run, { ...(costs.get(run.id) ?? noCosts), ...noActivity }))
}

const access = { verb: 'list', resource: 'runs', namespace: 'busy' } as Access<'list', 'runs'>

function candidate(name: string, db: Db, read: (db: Db) => Promise<unknown>) {
  return {
    name,
    run: async () => {
      const times: number[] = []
      for (let n = 0; n < reads; n++) {
        const from = performance.now()
        JSON.stringify(await read(db))
        times.push(performance.now() - from)
      }
      return { page: median(times) }
    },
  }
}

/** Runs with an input of 4 KB, previews, costs, and a child for each tenth. */
async function fill({ root }: Database): Promise<void> {
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('uid-busy', 'Namespace', '', 'busy', '1', 'x')`.execute(root)
  // In parts: each is a statement within the limits of requests.
  for (let first = 1; first <= runs; first += part)
    await sql`with made as (
        insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id,
          trigger_kind, trigger_by, subject, state, labels, trace_id, created_at, started_at, finished_at)
        select id, 1, 'busy', 'uid-busy', 'robot', 'a', n::text, id, 'api', 'x', 'ada', 'succeeded', '{"team": "red"}', 't', at, at, at
        from (select n, gen_random_uuid() as id, '2026-11-01T00:00:00Z'::timestamptz + make_interval(secs => n) as at
          from generate_series(${first}::integer, ${first + part - 1}::integer) n) r returning id),
      content as (insert into runs_content (run_id, input, output, input_preview, output_preview, grant_token)
        select id, to_jsonb(repeat(md5(id::text), 128)), '"Good day"', repeat('x', 119) || '…', 'Good day', '' from made),
      lease as (insert into runs_lease (run_id, state, wake_at, idle_since, first_token_at, tool_calls)
        select id, 'done', now(), now(), now(), 2 from made)
      insert into runs_costs (run_id, calls, unpriced, answered, metered, model, micros, currency, mixed, reported, own_reports)
      select id, 1, 0, 1, true, 'small', 5, 'USD', false, 0, 0 from made`.execute(root)
  // Each tenth run is the child of the next one.
  await sql`update runs_runs child set parent_run_id = parent.id, root_run_id = parent.id from runs_runs parent
    where parent.created_at = child.created_at + interval '1 second' and extract(epoch from child.created_at)::bigint % 10 = 0`.execute(
    root,
  )
  for (const table of ['runs_runs', 'runs_content', 'runs_lease', 'runs_costs'])
    await sql`analyze ${sql.table(table)}`.execute(root)
}
