import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'undici'
import type { Candidate } from '../tools/rounds.ts'
import type { Operation } from './callers.ts'
import { runLoad, warm } from './callers.ts'
import type { MeasuredPlatform } from './forms.ts'
import { countsSince, describeCounts, statementsIn, transactionsIn } from '#test/harness/statement-count.ts'

/** An operation on a platform, and its load. */
export interface Measurement {
  readonly name: string
  readonly platform: MeasuredPlatform
  readonly pool: Pool
  readonly operation: Operation
  readonly callers: number
  readonly count: number
}

// The relay and the consumers handle the events of the last operations.
const settleMs = 1000

/** A candidate whose round is one load: CPU by process, statements, transactions and WAL per operation, latency and throughput. */
export function toCandidate(measurement: Measurement): Candidate {
  const { name, platform, pool, operation, callers, count } = measurement
  const cpu = (): number => platform.cpu()['platform'] ?? 0
  return {
    name,
    warm: () => warm(pool, operation, { cpu, callers, round: count }),
    run: () => measure(measurement),
  }
}

// Processes of an installation; roles are within the platform.
const summed: ReadonlySet<string> = new Set(
  ['platform', 'agents', 'PostgreSQL', 'NATS'].map((kind) => `${kind} cpu ms`),
)

async function measure({ name, platform, pool, operation, callers, count }: Measurement) {
  const before = await read(platform)
  const load = await runLoad(pool, operation, { callers, count })
  await sleep(settleMs)
  const after = await read(platform)
  const counts = countsSince(before.statements, after.statements)
  if (process.env['BENCH_STATEMENTS'] !== undefined)
    process.stderr.write(`${name}, statements per operation:\n${describeCounts(counts, count)}\n`)
  const cpu = Object.entries(after.cpu).map(([kind, micros]) => {
    const own = (micros - (before.cpu[kind] ?? 0)) / count / 1000
    return [`${kind} cpu ms`, own] as const
  })
  const wal = after.wal === undefined ? {} : { 'WAL bytes': (after.wal - (before.wal ?? 0)) / count }
  const sum = cpu
    .flatMap(([kind, value]) => (summed.has(kind) ? [value] : []))
    .reduce((total, value) => total + value, 0)
  return {
    ...Object.fromEntries(cpu),
    'sum cpu ms': sum,
    statements: statementsIn(counts) / count,
    transactions: transactionsIn(counts) / count,
    ...wal,
    ...load,
  }
}

async function read(platform: MeasuredPlatform) {
  return { cpu: platform.cpu(), statements: await platform.statements(), wal: await platform.walBytes() }
}
