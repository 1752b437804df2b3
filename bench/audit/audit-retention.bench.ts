import type { Store } from '#core/store/store.ts'
import { pruneBefore } from '#plugins/audit/store/prune.ts'
import type { AuditTables } from '#plugins/audit/store/tables.ts'
import type { Client } from 'pg'
import { serversCpu } from '../growth/cost.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { fillDays, openAuditStore } from './rows.ts'

// Days as large as those of 10 M rows in 90 days: DELETE costs by the row, a drop by the day.
const rowsPerDay = Number(process.env['MESH_BENCH_AUDIT_ROWS'] ?? 111_000)
const days = 7
const dropped = 2

/** Retention of the oldest days of the log against deleting the same rows and keys. */
export const bench: Bench = {
  title: `retention of ${dropped} days of ${rowsPerDay} rows (ms, and CPU of the server); MESH_BENCH_AUDIT_ROWS sets how many`,
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const [name, remove] of [
        ['retention', removeByRetention],
        ['DELETE', removeByDelete],
      ] as const) {
        const { store, client } = await openAuditStore(t)
        await fillDays(client, rowsPerDay * days, days)
        await seal(client)
        // Days that old are on the disk: a file whose pages are being written is dropped only when they are.
        await client.query('checkpoint')
        candidates.push(timed(name, remove, { store, client }))
      }
      return interleave(candidates, { rounds: 3, most: 3 })
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
  ],
}

interface Stage {
  readonly store: Store
  readonly client: Client
}

// Each round takes the next days.
function timed(name: string, remove: (stage: Stage, keep: number) => Promise<void>, stage: Stage): Candidate {
  let keep = days
  return {
    name,
    run: async () => {
      keep -= dropped
      const from = { cpu: serversCpu(), at: performance.now() }
      await remove(stage, keep)
      return { ms: performance.now() - from.at, 'cpu ms': (serversCpu() - from.cpu) / 1000 }
    },
  }
}

async function removeByRetention({ store }: Stage, keep: number): Promise<void> {
  await store.transact<AuditTables, unknown>((tx) => pruneBefore(tx.db, keep))
}

async function removeByDelete({ client }: Stage, keep: number): Promise<void> {
  await client.query('begin')
  for (const table of ['audit_log', 'audit_keys'])
    await client.query(
      `delete from ${table} where occurred_at < date_trunc('day', now()) - make_interval(days => $1::int)`,
      [keep],
    )
  await client.query('commit')
}

// As sealing leaves them, without its digests: who prunes reads none of them.
async function seal(client: Client): Promise<void> {
  await client.query(`insert into audit_seals (day, rows, digest, head)
    select (occurred_at at time zone 'UTC')::date, count(*), 'digest', 'head' from audit_log group by 1`)
  await client.query(`insert into audit_seal_blocks (day, block, entries)
    select day, block, convert_to(repeat('e', 48000), 'UTF8') from audit_seals, generate_series(0, rows / 1000) as block`)
}
