import type { Store } from '#core/store/store.ts'
import { pruneBefore } from '#plugins/audit/store/prune.ts'
import type { AuditTables } from '#plugins/audit/store/tables.ts'
import type { Client } from 'pg'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { fillDays, openAuditStore } from './rows.ts'

const total = Number(process.env['MESH_BENCH_AUDIT_ROWS'] ?? 450_000)
const days = 90
const dropped = 10

/** Retention of the oldest ninth of the log, part of a day at its border included, against deleting the same rows and keys. */
export const bench: Bench = {
  title: `retention of ${dropped} of ${days} days, ${total} rows (ms); MESH_BENCH_AUDIT_ROWS sets how many`,
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const [name, remove] of [
        ['retention', removeByRetention],
        ['DELETE', removeByDelete],
      ] as const) {
        const { store, client } = await openAuditStore(t)
        await fillDays(client, total, days)
        await seal(client)
        candidates.push(timed(name, remove, { store, client }))
      }
      return interleave(candidates, { rounds: 3, most: 3 })
    }),
  goals: (figureOf) => [
    {
      text: 'DELETE against retention, ratio',
      value: figureOf('DELETE', 'ms') / figureOf('retention', 'ms'),
      limit: 10,
      atLeast: true,
    },
  ],
}

interface Stage {
  readonly store: Store
  readonly client: Client
}

// Each round takes the next five days.
function timed(name: string, remove: (stage: Stage, keep: number) => Promise<void>, stage: Stage): Candidate {
  let keep = days
  return {
    name,
    run: async () => {
      keep -= dropped
      const from = performance.now()
      await remove(stage, keep)
      return { ms: performance.now() - from }
    },
  }
}

async function removeByRetention({ store }: Stage, keep: number): Promise<void> {
  await store.transact<AuditTables, unknown>((tx) => pruneBefore(tx.db, keep))
}

async function removeByDelete({ client }: Stage, keep: number): Promise<void> {
  await client.query('begin')
  for (const table of ['audit_log', 'audit_keys'])
    await client.query(`delete from ${table} where occurred_at < clock_timestamp() - make_interval(days => $1::int)`, [
      keep,
    ])
  await client.query('commit')
}

// As sealing leaves them, without its digests: who prunes reads none of them.
async function seal(client: Client): Promise<void> {
  await client.query(`insert into audit_seals (day, rows, digest, head)
    select (occurred_at at time zone 'UTC')::date, count(*), 'digest', 'head' from audit_log group by 1`)
  await client.query(`insert into audit_seal_blocks (day, block, entries)
    select day, block, convert_to(repeat('e', 48000), 'UTF8') from audit_seals, generate_series(0, rows / 1000) as block`)
}
