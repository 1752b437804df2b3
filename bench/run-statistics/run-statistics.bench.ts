import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Reader } from '#core/event-store/store.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { readStats } from '#plugins/runs/stats/read-stats.ts'
import { parseWindow } from '#plugins/runs/stats/stats-window.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { Client } from 'pg'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { fillSums } from './fill-sums.ts'

const runs = Number(process.env['MESH_BENCH_RUNS'] ?? 1_000_000)
const few = runs / 10
const reads = 20
const now = new Date('2026-11-29T12:34:56Z')

type Db = Reader<RunsTables>
const listIn = (namespace: string) => [{ verb: 'list', resource: 'runs', namespace } as Access<'list', 'runs'>]

const asked = {
  'a month': { query: { from: '2026-10-30T12:34:56Z' }, groupBy: undefined },
  'a month by agent': { query: { from: '2026-10-30T12:34:56Z' }, groupBy: 'agent' },
  'a day by hours': { query: { interval: '1h' }, groupBy: undefined },
} as const
const bySubject = { 'a month by subject': { query: { from: '2026-10-30T12:34:56Z' }, groupBy: 'subject' } } as const

/** Statistics over many runs against a tenth of them, and against one sum of the rows of days. */
export const bench: Bench = {
  title: `statistics of ${runs} runs of 50 agents in 30 days, median of a read (ms); MESH_BENCH_RUNS sets how many`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const postgres = await startPostgres(t, { fsync: false, settings: { shared_buffers: '256MB' } })
      const database = await openDatabase({ url: postgres.url })
      t.after(() => database.close())
      const own = { name: 'runs', migrations: new URL('../../plugins/runs/migrations/', import.meta.url) }
      await migrate(database, [...coreMigrations, own])
      const client = new Client({ connectionString: postgres.url, options: '-c TimeZone=UTC' })
      await client.connect()
      t.after(() => client.end())
      await fillSums(client, 'many', runs, { until: now, hasSubjects: false })
      await fillSums(client, 'few', few, { until: now, hasSubjects: true })
      const db = createStore(database, { projections: [] }).reader<RunsTables>()
      const candidate = (name: string) => ({ name, run: () => measure(db, name) })
      const floor = { name: 'one sum', run: async () => ({ 'a month': await median(() => sumOf(db)) }) }
      return interleave([candidate('many'), candidate('few'), floor], { rounds: 3, most: 6 })
    }),
  goals: (figureOf) => [
    ...Object.keys(asked).map((name) => ({ text: `${name}, ms`, value: figureOf('many', name), limit: 50 })),
    { text: 'a month by subject, of a tenth of the runs, ms', value: figureOf('few', 'a month by subject'), limit: 50 },
    {
      text: 'ten times as many runs, a month',
      value: figureOf('many', 'a month') / figureOf('few', 'a month'),
      limit: 3,
      peer: { candidate: 'few', figure: 'a month' },
    },
    {
      text: 'against one sum of the rows of days',
      value: figureOf('many', 'a month') / figureOf('one sum', 'a month'),
      limit: 200,
      peer: { candidate: 'one sum', figure: 'a month' },
    },
  ],
}

async function measure(db: Db, namespace: string): Promise<Record<string, number>> {
  const figures: Record<string, number> = {}
  const all = namespace === 'few' ? { ...asked, ...bySubject } : asked
  for (const [name, { query, groupBy }] of Object.entries(all))
    figures[name] = await median(() =>
      readStats(db, { access: listIn(namespace), filter: {}, window: parseWindow(query, now), groupBy, top: 10 }),
    )
  return figures
}

// The least that a statement over the days of a month takes; the bounds of a window need rows of hours and minutes, too.
function sumOf(db: Db): Promise<unknown> {
  return sql`select sum(runs) from runs_sums where namespace_uid = 'uid-many' and width = 86400`.execute(db)
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < reads; n++) {
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return quantile(times, 0.5)
}
