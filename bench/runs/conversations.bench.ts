import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { listConversations, readTurnPage } from '#plugins/runs/store/conversations.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'

const turns = Number(process.env['MESH_BENCH_TURNS'] ?? 100_000)
const reads = 100
const part = 5_000
const limit = 21
const access = (verb: 'get' | 'list') => ({ verb, resource: 'runs', namespace: 'busy' }) as never

/** Pages of one conversation with many turns, and of as many conversations, against a read of as many runs by their keys. */
export const bench: Bench = {
  title: `pages of ${limit} of ${turns} turns and ${turns} conversations, p95 (ms); MESH_BENCH_TURNS sets how many`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const postgres = await startPostgres(t, { settings: { shared_buffers: '256MB', autovacuum: 'off' } })
      const database = await openDatabase({ url: postgres.url })
      t.after(() => database.close())
      const own = { name: 'runs', migrations: new URL('../../plugins/runs/migrations/', import.meta.url) }
      await migrate(database, [...coreMigrations, own])
      await fill(database)
      const db = createStore(database, { projections: [] }).reader<RunsTables>()
      const { rows } = await sql<{ id: string }>`select id from runs_runs limit ${limit}`.execute(db)
      const ids = rows.map(({ id }) => id)
      const deep = [new Date(start + turns * 500).toISOString(), '00000000-0000-7000-8000-000000000000']
      const page = (after?: readonly string[]) => ({ limit, after })
      const turnsOf = (after?: readonly string[]) =>
        readTurnPage(db, access('get') as Access<'get', 'runs'>, { id: 'talk' }, page(after))
      const list = (after?: readonly string[]) =>
        listConversations(db, access('list') as Access<'list', 'runs'>, {}, page(after))
      const candidates = [
        candidate('by key', () => sql`select * from runs_runs where id = any(${ids}::uuid[])`.execute(db)),
        candidate('turns, first', () => turnsOf()),
        candidate('turns, deep', () => turnsOf(deep)),
        candidate('conversations, first', () => list()),
        candidate('conversations, deep', () => list(deep)),
      ]
      return interleave(candidates, { rounds: 3, most: 6 })
    }),
  goals: (figureOf) =>
    ['turns', 'conversations'].map((what) => ({
      text: `a deep page of ${what} against the first, ratio`,
      value: figureOf(`${what}, deep`, 'p95') / figureOf(`${what}, first`, 'p95'),
      limit: 1.5,
      peer: { candidate: 'by key', figure: 'p95' },
    })),
}

function candidate(name: string, read: () => Promise<unknown>) {
  return {
    name,
    run: async () => {
      const times: number[] = []
      for (let n = 0; n < reads; n++) {
        const from = performance.now()
        await read()
        times.push(performance.now() - from)
      }
      return { p95: quantile(times, 0.95) }
    },
  }
}

const start = Date.parse('2026-11-01T00:00:00Z')

async function fill(database: Database): Promise<void> {
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('uid-busy', 'Namespace', '', 'busy', '1', 'x')`.execute(database.root)
  // In parts: each is a statement within the limits of requests.
  for (let first = 1; first <= turns; first += part)
    for (const [subject, id] of [
      ['ada', sql`'talk'`],
      ['bob', sql`n::text`],
    ] as const)
      await sql`with made as (
        insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id,
          trigger_kind, trigger_by, subject, state, labels, trace_id, created_at)
        select r.id, 1, 'busy', 'uid-busy', 'robot', 'robot-busy', ${id}, r.id, 'api', 'x', ${subject}, 'succeeded', '{}',
          't', ${new Date(start)}::timestamptz + make_interval(secs => n)
        from (select n, gen_random_uuid() as id
          from generate_series(${first}::integer, ${first + part - 1}::integer) n) r returning *)
      insert into runs_conversations select subject, agent_uid, conversation_id, max(namespace), max(namespace_uid),
        max(agent_name), min(created_at), max(created_at), (array_agg(id order by created_at desc))[1]
      from made group by 1, 2, 3
      on conflict (subject, agent_uid, conversation_id)
        do update set last_at = excluded.last_at, last_run_id = excluded.last_run_id`.execute(database.root)
  for (const table of ['runs_runs', 'runs_conversations', 'runs_content'])
    await sql`analyze ${sql.table(table)}`.execute(database.root)
}
