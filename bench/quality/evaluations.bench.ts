import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { openEvaluations } from '#plugins/evals/testing/evaluation-rig.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench } from '../tools/bench.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const cases = Number(process.env['BENCH_CASES'] ?? 1_000)
const figure = 'cpu us'
const EXECUTOR = 'executor of evaluations'
const FLOOR = 'two statements per case'

const inputs = Array.from({ length: cases }, (_, n) => `case ${n}`)
const evaluators = [{ name: 'none', type: 'bench.example/none' }]
const none = { type: 'bench.example/none', check: () => [], evaluate: () => ({ score: 1 }) }

/** Cost of a case of an evaluation beyond its run and its evaluators: runs end at once, and the evaluator does nothing. */
export const bench: Bench = {
  title: `an evaluation of ${cases} cases on PostgreSQL, CPU of worker and database per case (microseconds); BENCH_CASES sets how many`,
  database: 'fresh',
  measure: () => withScope(async (t) => interleave(await candidates(t), { rounds: 5, most: 8 })),
  goals: (figureOf) => [
    { text: 'CPU of a case, us', value: figureOf(EXECUTOR, figure), limit: 10_000 },
    {
      text: `against ${FLOOR}, ratio`,
      value: figureOf(EXECUTOR, figure) / figureOf(FLOOR, figure),
      limit: 4,
      peer: { candidate: FLOOR, figure },
    },
  ],
}

async function candidates(t: Scope): Promise<readonly Candidate[]> {
  const postgres = await startPostgres(t, { fsync: false })
  const rig = await openEvaluations(t, (_, sources = []) => open(t, postgres.url, sources), {
    evaluators: () => [none],
  })
  const measured = (name: string, work: () => Promise<unknown>): Candidate => ({
    name,
    run: async () => {
      const from = { cpu: cpuOf(process.pid), at: performance.now() }
      await work()
      return { [figure]: (cpuOf(process.pid) - from.cpu) / cases, ms: (performance.now() - from.at) / cases }
    },
  })
  const evaluate = async (): Promise<void> => {
    const ended = await rig.finish(await rig.start(inputs, { evaluators, concurrency: 16 }))
    if (ended?.phase !== 'Passed') throw new Error(`the evaluation ended as ${ended?.phase}`)
  }
  const { root } = rig.database
  await sql`create table bench_cases (id int primary key, run_id uuid, score float8)`.execute(root)
  const floor = async (): Promise<void> => {
    await sql`truncate bench_cases`.execute(root)
    await sql`insert into bench_cases select n from generate_series(1, ${cases}) n`.execute(root)
    for (let n = 1; n <= cases; n++) {
      await sql`update bench_cases set run_id = gen_random_uuid() where id = ${n}`.execute(root)
      await sql`update bench_cases set score = 1 where id = ${n}`.execute(root)
    }
  }
  await evaluate() // excludes JIT compilation
  return [measured(EXECUTOR, evaluate), measured(FLOOR, floor)]
}

async function open(t: Scope, url: string, sources: readonly MigrationSource[]) {
  const database = await openDatabase({ url })
  t.after(() => database.close())
  await migrate(database, [storeMigrations, ...sources])
  return database
}
