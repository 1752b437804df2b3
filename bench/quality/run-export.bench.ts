import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { migrateForDatasets } from '#plugins/datasets/testing/dataset-rig.ts'
import { queueTestExport } from '#plugins/datasets/testing/export-world.ts'
import { createWorld, settled } from '#plugins/runs/testing/world.ts'
import type { World } from '#plugins/runs/testing/world.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Bench } from '../tools/bench.ts'
import { ownCpuOf, watchPeak } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

// V8 collects the old space once it has doubled: about 3,500 of these runs fill it the first time, and fewer leave it half-empty.
const few = 5_000
const many = Number(process.env['BENCH_EXPORTED'] ?? 10_000)
const figure = 'peak MB'
const nameOf = (runs: number): string => `export of ${runs} runs`
const FLOOR = 'no export'
const IDLE_MS = 2_000

/** Memory of a worker that exports many runs against one that exports few, and against one that is idle. */
export const bench: Bench = {
  title: `exports of runs into a dataset: growth of the worker's resident memory (MB), CPU of a run (microseconds); BENCH_EXPORTED sets how many`,
  database: 'filled',
  measure: () => withScope(async (t) => interleave(await candidates(t), { rounds: 3, most: 4 })),
  goals: (figureOf) => [
    {
      text: `peak memory against that of ${few} runs`,
      value: figureOf(nameOf(many), figure) / figureOf(nameOf(few), figure),
      limit: 1.3,
      peer: { candidate: FLOOR, figure },
    },
  ],
}

async function candidates(t: Scope): Promise<readonly Candidate[]> {
  const postgres = await startPostgres(t, { fsync: false })
  const database = await openDatabase({ url: postgres.url })
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  await migrateForDatasets(database)
  await fillRuns(database, many)
  const world = createWorld(database)
  const of = (name: string, runs: number): Candidate => ({ name, run: () => exportBy(t, postgres.url, world, runs) })
  return [of(nameOf(few), few), of(nameOf(many), many), of(FLOOR, 0)]
}

let datasets = 0

/** In a process of its own, so that no round has the memory of the one before. */
async function exportBy(t: Scope, url: string, world: World, runs: number): Promise<Record<string, number>> {
  const folder = tempFolder('export')
  t.after(folder.remove)
  const program = join(import.meta.dirname, 'export-process.ts')
  const worker = startProcess({
    program: process.execPath,
    args: [...heapFlags, program, url],
    log: join(folder.path, 'worker.log'),
  })
  try {
    // Code is loaded, and its first export has run.
    await exported(world, 100)
    const [peak, cpu] = [watchPeak(worker.pid), ownCpuOf(worker.pid)]
    if (runs === 0) await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
    else await exported(world, runs)
    return { [figure]: peak(), 'cpu us': (ownCpuOf(worker.pid) - cpu) / Math.max(runs, 1) }
  } finally {
    await worker.end('SIGTERM')
  }
}

async function exported(world: World, limit: number): Promise<void> {
  const dataset = `bench-${++datasets}`
  const id = await queueTestExport(world, { dataset, into: dataset, filter: { limit } } as never)
  const run = await settled(world, id, ({ state }) => state === 'succeeded' || state === 'failed', 600_000)
  if (run.state !== 'succeeded') throw new Error(`the export ended as ${run.state}`)
}

/** Runs of the test agent that have succeeded, with an input and output of about 1 KB. */
async function fillRuns({ root }: Database, count: number): Promise<void> {
  await sql`create table made as
    select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid as id
    from generate_series(1, ${count}::int) n, lateral (select now() - (${count}::int - n) * interval '1 second' as at) times`.execute(
    root,
  )
  await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, agent_revision, conversation_id,
      root_run_id, trigger_kind, trigger_by, state, segment, trace_id, created_at, started_at, finished_at)
    select id, 1, 'default', 'ns-uid', 'robot', 'uid-1', 1, id, id, 'api', 'alice', 'succeeded', 1, md5(n::text), at, at, at
    from made order by n`.execute(root)
  await sql`insert into runs_content (run_id, input, output, grant_token)
    select id, jsonb_build_object('text', repeat('word ', 100)), jsonb_build_object('text', repeat('word ', 100)), 'g'
    from made order by n`.execute(root)
  await sql`insert into runs_lease (run_id, state, epoch, wake_at, idle_since, journal_seq)
    select id, 'done', 1, at, at, 1 from made order by n`.execute(root)
  await sql`drop table made`.execute(root)
}
