import { toSequence } from '#core/messaging/wire/cloud-event.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench } from '../tools/bench.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { costOf, serversCpu, staysFlat } from './cost.ts'
import { openHandledRuns } from './handled-runs.ts'
import { quiet } from './rows.ts'
import { startStoredBff } from './stored-bff.ts'
import type { StoredBff } from './stored-bff.ts'

// Creating a million takes some minutes; BENCH_EVENTS=1000000 measures the goal.
const few = 1000
const many = Number(process.env.BENCH_EVENTS ?? 100_000)
const nameOf = (rows: number): string => `${rows} runs and events`
const [small, large] = [nameOf(few), nameOf(many)]

const operations = [
  { name: 'run', what: 'making a run until two consumers have handled it' },
  { name: 'page', what: 'GET /api/runs' },
  { name: 'deep page', what: 'a later page of GET /api/runs' },
  { name: 'namespace page', what: 'GET /api/runs of a namespace whose runs are the oldest' },
  { name: 'events', what: 'GET /api/events, the last 200' },
  { name: 'idle stream', what: 'a second of GET /api/events of a namespace where nothing happens' },
]

/** Cost of runs and events in a store with few and in one with many. */
export const bench: Bench = {
  title: `runs and events in a store with ${few} and with ${many} of them, CPU of BFF and PostgreSQL (microseconds) and time (ms)`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const settings = { shared_buffers: '256MB', max_wal_size: '4GB', max_connections: '100' }
      const { adminUrl } = await startPostgres(t, { fsync: true, settings })
      const candidates = [await open(t, adminUrl, few), await open(t, adminUrl, many)]
      return interleave(candidates, { rounds: 7, most: 10 })
    }),
  goals: (figureOf) => operations.map((one) => staysFlat(figureOf, { ...one, small, large })),
}

async function open(t: Scope, adminUrl: string, rows: number): Promise<Candidate> {
  const bff = await startStoredBff(t, adminUrl, rows)
  const makeRuns = await openHandledRuns(t, bff.databaseUrl)
  const { nextCursor } = JSON.parse(await bff.get('/api/runs?limit=200')) as { nextCursor: string }
  const run = async (): Promise<Record<string, number>> => ({
    ...(await costOf(
      'run',
      200,
      () => makeRuns(1),
      () => cpuOf(process.pid),
    )),
    ...(await costOf('page', 150, () => bff.get('/api/runs'))),
    ...(await costOf('deep page', 150, () => bff.get(`/api/runs?cursor=${nextCursor}&limit=200`))),
    ...(await costOf('namespace page', 150, () => bff.get(`/api/runs?namespace=${quiet}`))),
    ...(await costOf('events', 60, () => lastEvents(bff, rows))),
    ...(await idle(bff, 20, 2)),
  })
  await run() // excludes JIT compilation, cold caches and unprepared statements
  return { name: nameOf(rows), run }
}

async function lastEvents(bff: StoredBff, rows: number): Promise<void> {
  await bff.frames(`/api/events?after=${toSequence(1, BigInt(rows - 200))}`, 200)
}

async function idle(bff: StoredBff, streams: number, seconds: number): Promise<Record<string, number>> {
  const signal = AbortSignal.timeout(seconds * 1000)
  const from = serversCpu()
  const path = `/api/events?namespace=${quiet}&after=${toSequence(1, 20n)}`
  await Promise.all(Array.from({ length: streams }, () => bff.frames(path, Number.POSITIVE_INFINITY, signal)))
  return { 'idle stream cpu us': (serversCpu() - from) / streams / seconds }
}
