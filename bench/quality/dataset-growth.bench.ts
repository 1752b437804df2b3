import { sql } from 'kysely'
import type { TestContext } from 'node:test'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { serveDatasets } from '#plugins/datasets/testing/dataset-rig.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const few = 1_000
const many = Number(process.env['BENCH_CASES'] ?? 10_000)
const pageSize = 200
// A label is one request. Each of them would take minutes.
const labelledOf = 10
const nameOf = (cases: number): string => `${cases} cases`
const FLOOR = `SQL of ${many} cases alone`
const operations = ['list', 'label', 'pin'] as const

/** Time to list and pin all cases of a dataset and to label a tenth of them, with many against few of them. */
export const bench: Bench = {
  title: `a dataset with ${few} and with ${many} cases through its routes on PostgreSQL, time to list and pin all and to label a tenth (ms); BENCH_CASES sets how many`,
  database: 'fresh',
  measure: () => withScope(async (t) => interleave(await candidates(t), { rounds: 3, most: 4 })),
  goals: (figureOf) =>
    operations.map((name) => ({
      text: `${name} ${many / few} times as many cases, ratio`,
      value: figureOf(nameOf(many), `${name} ms`) / figureOf(nameOf(few), `${name} ms`),
      limit: (many / few) * 1.1,
      peer: { candidate: FLOOR, figure: `${name} ms` },
    })),
}

type Served = Awaited<ReturnType<typeof serveDatasets>>

async function candidates(t: Scope): Promise<readonly Candidate[]> {
  const postgres = await startPostgres(t, { fsync: false })
  const served = await serveDatasets(t as TestContext, async () => {
    const database = await openDatabase({ url: postgres.url })
    t.after(() => database.close())
    await migrate(database, [storeMigrations])
    return database
  })
  const routes = (cases: number): Candidate => ({ name: nameOf(cases), run: () => throughRoutes(served, cases) })
  await throughRoutes(served, few) // excludes JIT compilation
  return [routes(few), routes(many), { name: FLOOR, run: () => bySql(served) }]
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

async function throughRoutes({ send, database }: Served, count: number): Promise<Record<string, number>> {
  const must = async (...asked: Parameters<Served['send']>) => {
    const reply = await send(...asked)
    if (reply.status >= 300) throw new Error(`${asked[1]}: ${reply.status} ${reply.body}`)
    return reply
  }
  const rows = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `c${n}`, input: { text: 'word '.repeat(20), n } }),
  )
  await must('PUT', '/bench', {})
  await must('POST', '/bench/cases/import', rows.join('\n'), { type: 'application/x-ndjson' })
  await sql`analyze datasets_cases`.execute(database.root)
  const list = await timed(async () => {
    for (let cursor = '', listed = 0; listed < count;) {
      const page = (await must('GET', `/bench/cases?limit=${pageSize}${cursor}`)).json<{
        items: object[]
        nextCursor: string
      }>()
      listed += page.items.length
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
  })
  const label = await timed(async () => {
    for (let n = 0; n < count; n += labelledOf)
      await must('POST', `/bench/cases/c${n}/labels`, { name: 'correct', dataType: 'boolean', value: true })
  })
  const pin = await timed(async () => {
    await must('POST', '/bench/pin', {})
  })
  await must('DELETE', '/bench')
  return { 'list ms': list, 'label ms': label, 'pin ms': pin }
}

/** The rows alone: read in pages, one inserted per case, and all of them marked. */
async function bySql({ database: { root } }: Served): Promise<Record<string, number>> {
  await sql`drop table if exists bench_cases, bench_labels`.execute(root)
  await sql`create table bench_cases (n int primary key, input text not null, digest text not null, mark int)`.execute(
    root,
  )
  await sql`create table bench_labels (id uuid primary key, n int not null, value text not null)`.execute(root)
  await sql`insert into bench_cases select n, repeat('word ', 20), md5(n::text) from generate_series(1, ${many}) n`.execute(
    root,
  )
  const list = await timed(async () => {
    for (let after = 0; after < many; after += pageSize)
      await sql`select * from bench_cases where n > ${after} order by n limit ${pageSize}`.execute(root)
  })
  const label = await timed(async () => {
    for (let n = 1; n <= many; n += labelledOf)
      await sql`insert into bench_labels values (gen_random_uuid(), ${n}, 'true')`.execute(root)
  })
  const pin = await timed(async () => {
    await sql`select sha256(string_agg(digest, ',' order by digest)::bytea) from bench_cases`.execute(root)
    await sql`update bench_cases set mark = 1`.execute(root)
  })
  return { 'list ms': list, 'label ms': label, 'pin ms': pin }
}
