import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Store } from '#core/event-store/store.ts'
import { ensureBlocks } from '#plugins/audit/store/day-partitions.ts'
import { dropSealedDays } from '#plugins/audit/store/drop-expired-days.ts'
import type { AuditTables } from '#plugins/audit/contract/tables.ts'
import { writeRows } from '#plugins/audit/store/write-rows.ts'
import type { Client } from 'pg'
import { serversCpu } from '../growth/cost.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { fillDays, makeRows, openAuditStore } from './rows.ts'

// Days as large as those of 10 M rows in 90 days, removed ten at a time: DELETE costs per row, a drop per day.
const rowsPerDay = Number(process.env['MESH_BENCH_AUDIT_ROWS'] ?? 111_000)
const removed = 10
const rounds = 2
const days = 2 * rounds * removed + 1

// Measured once with everything in 24 GiB: 985 ms against 208, keys included. A drop mostly frees cached pages.
const inMemory =
  'Days that are still in memory are deleted faster and dropped slower: there DELETE took 4.7 times as long, and VACUUM after it nearly twice as long again.'

/** Removes the oldest ten days of the log by retention and by DELETE, each alone and then beside a steady writer. */
export const bench: Bench = {
  title: `retention of ${removed} days of ${rowsPerDay} rows that no memory holds (ms, CPU of the server, its log), and inserts a second before against during it; MESH_BENCH_AUDIT_ROWS sets how many`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const [name, remove] of [
        ['retention', removeByRetention],
        ['DELETE', removeByDelete],
      ] as const) {
        const { store, client } = await openAuditStore(t)
        await fillDays(client, rowsPerDay * days, days)
        await seal({ store, client })
        await forget(client)
        candidates.push(timed(name, remove, { store, client }))
      }
      return { ...(await interleave(candidates, { rounds, most: rounds })), notes: [inMemory] }
    }),
  goals: (figureOf) => [
    {
      number: 10,
      text: 'DELETE against retention, ratio of times',
      value: figureOf('DELETE', 'ms') / figureOf('retention', 'ms'),
      limit: 10,
      atLeast: true,
      peer: { candidate: 'DELETE', figure: 'ms' },
    },
    {
      number: 10,
      text: 'DELETE against retention, ratio of CPU',
      value: figureOf('DELETE', 'cpu ms') / figureOf('retention', 'cpu ms'),
      limit: 10,
      atLeast: true,
      peer: { candidate: 'DELETE', figure: 'cpu ms' },
    },
    {
      number: 10,
      text: 'inserts a second before retention against during it, ratio',
      value: figureOf('retention', 'dip'),
      limit: 1.2,
      peer: { candidate: 'DELETE', figure: 'dip' },
    },
  ],
}

interface Stage {
  readonly store: Store
  readonly client: Client
}

// Each round removes the next days: ten without and ten with concurrent inserts.
function timed(name: string, remove: (stage: Stage, keep: number) => Promise<void>, stage: Stage): Candidate {
  let keep = days
  return {
    name,
    run: async () => {
      const wal = await walPosition(stage.client)
      const from = { cpu: serversCpu(), at: performance.now() }
      await remove(stage, (keep -= removed))
      const ms = performance.now() - from.at
      const cpu = (serversCpu() - from.cpu) / 1000
      const written = ((await walPosition(stage.client)) - wal) / 1e6
      const dip = await dipOf(stage.store, () => remove(stage, (keep -= removed)))
      return { ms, 'cpu ms': cpu, 'WAL MB': written, dip }
    },
  }
}

async function walPosition(client: Client): Promise<number> {
  const { rows } = await client.query<{ at: string }>(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at`)
  return Number(rows[0]?.at)
}

// Over at least a second, before and during, so that a single waiting batch has no undue weight.
async function dipOf(store: Store, work: () => Promise<void>): Promise<number> {
  const before = await insertsDuring(store, sleep(1_000))
  return before / (await insertsDuring(store, Promise.all([work(), sleep(1_000)])))
}

// Batches per second of a writer without pauses.
async function insertsDuring(store: Store, span: Promise<unknown>): Promise<number> {
  const from = performance.now()
  const over = new AbortController()
  const end = span.finally(() => over.abort())
  let written = 0
  for (; !over.signal.aborted; written++)
    await store.transact((tx) => writeRows(tx.tables<AuditTables>(), makeRows(100, new Date()), days))
  await end
  return (written * 1000) / (performance.now() - from)
}

async function removeByRetention({ store }: Stage, keep: number): Promise<void> {
  await store.transact((tx) => dropSealedDays(tx.tables<AuditTables>(), keep))
}

// Only rows of the log, since keys are removed by month in both cases.
async function removeByDelete({ client }: Stage, keep: number): Promise<void> {
  await client.query(
    `delete from audit_log where occurred_at < date_trunc('day', now()) - make_interval(days => $1::int)`,
    [keep],
  )
}

// As sealing leaves them, except for the digests, which pruning does not read. Random like digests, so that nothing is compressed.
async function seal({ store, client }: Stage): Promise<void> {
  const { rows } = await client.query<{ day: string }>(`insert into audit_seals (day, rows, digest, head)
    select (occurred_at at time zone 'UTC')::date, count(*), 'digest', 'head' from audit_log group by 1 returning day::text`)
  await store.transact(async (tx) => {
    for (const { day } of rows) await ensureBlocks(tx.tables<AuditTables>(), day)
  })
  const entries = randomBytes(48_000)
  await client.query(
    `insert into audit_seal_blocks (day, block, entries)
      select day, block, $1::bytea from audit_seals, generate_series(0, rows / 1000) as block`,
    [entries],
  )
}

// Days of that age are only on disk: neither in the server's cache, where newer ones replaced them, nor in the kernel's.
async function forget(client: Client): Promise<void> {
  await client.query('checkpoint')
  const { rows } = await client.query<{ data_directory: string }>('show data_directory')
  const files = join(rows[0]?.data_directory ?? '', 'base')
  const forgetOne = 'dd if={} iflag=nocache count=0 status=none ;'.split(' ')
  await promisify(execFile)('find', [files, '-type', 'f', '-size', '+64k', '-exec', ...forgetOne])
}
