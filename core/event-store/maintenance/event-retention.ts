import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Job } from '#core/jobs/background-work.ts'
import { appendLock } from '../append.ts'
import { rangeSize } from '../streams.ts'
import type { Database } from '#core/database/database.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import type { CoreTables } from '#core/database/core-tables.ts'

/** Options of the retention; `also` prunes other data that is kept as long as the log. */
export interface RetentionOptions {
  readonly database: Database
  readonly retentionDays: number
  readonly also?: readonly ((db: Transaction<unknown>, retentionDays: number) => Promise<unknown>)[]
}

/** Job that starts a new range each month and drops expired ones, each under the epoch; hourly, by one leader. */
export function createRetention(options: RetentionOptions): Job {
  const name = 'events.retention'
  return {
    name,
    leaderOnly: true,
    every: 3_600_000,
    run: async ({ epoch }) => {
      const { database, retentionDays, also = [] } = options
      const stillLeads = <Tables>(db: Transaction<Tables>) => assertEpoch(db, name, epoch)
      await database.db.transaction().execute(async (db) => {
        await stillLeads(db)
        await beginMonth(db)
      })
      await database.db.transaction().execute(async (db) => {
        await stillLeads(db)
        await pruneBefore(db, retentionDays)
      })
      for (const prune of also) {
        await database.root.transaction().execute(async (db) => {
          await stillLeads(db)
          await prune(db, retentionDays)
        })
      }
    },
  }
}

/** Starts a new range if the current one started in an earlier month. The sequence jumps; no row moves. */
async function beginMonth(db: Transaction<CoreTables>): Promise<boolean> {
  const { rows } = await sql<{ range: number }>`
    select max(range) as range from event_ranges
    having date_trunc('month', max(created_at)) < date_trunc('month', now())`.execute(db)
  const [current] = rows
  if (current === undefined) return false
  await beginRange(db, current.range + 1)
  return true
}

/** Moves the sequence to a range. Its partition exists since the previous start; the next one is created here. */
export async function beginRange(db: Transaction<CoreTables>, range: number): Promise<void> {
  const next = BigInt(range + 1) * rangeSize
  await sql`create table if not exists ${sql.raw(partitionOf(range + 1))} partition of events
    for values from (${sql.lit(next)}) to (${sql.lit(next + rangeSize)})`.execute(db)
  await db.insertInto('event_ranges').values({ range }).execute()
  // This comes last, and under the lock: no append may get an old position after a new one.
  await sql`select pg_advisory_xact_lock(${sql.lit(appendLock)})`.execute(db)
  await sql`select setval('events_position', ${sql.lit(BigInt(range) * rangeSize)})`.execute(db)
}

/**
 * Drops every range that ended before the window and was processed by relay and consumers, with its keys and streams. A relay without a
 * cursor has published nothing. Returns the dropped ranges. Dropping a partition took 100 ms; deleting its rows took 2 s and wrote 178 MB
 * of log.
 */
export async function pruneBefore(db: Transaction<CoreTables>, retentionDays: number): Promise<readonly number[]> {
  // A range ends when the next one starts.
  const { rows } = await sql<{ range: number }>`
    select old.range from event_ranges old join event_ranges following on following.range = old.range + 1
    where following.created_at < now() - make_interval(days => ${retentionDays})
      and following.range * ${sql.lit(rangeSize)} <= least(
        (select min(position) from cursor where stream = '*'),
        coalesce((select position from cursor where stream = '*' and name = 'relay'), 0)) + 1
    order by old.range`.execute(db)
  for (const { range } of rows) await dropRange(db, range)
  return rows.map((row) => row.range)
}

async function dropRange(db: Transaction<CoreTables>, range: number): Promise<void> {
  const end = BigInt(range + 1) * rangeSize
  await sql`drop table ${sql.raw(partitionOf(range))}`.execute(db)
  await db.deleteFrom('event_keys').where('position', '<', end).execute()
  await sql`delete from cursor c using streams s
    where c.stream = s.stream and s.last_position < ${end} and c.stream <> '*'`.execute(db)
  await db.deleteFrom('streams').where('last_position', '<', end).execute()
  await db.deleteFrom('dead_letter').where('position', '<', end).execute()
  await db.deleteFrom('event_ranges').where('range', '=', range).execute()
}

function partitionOf(range: number): string {
  return `events_${range}`
}
