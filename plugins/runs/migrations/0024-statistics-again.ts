import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { bucketFunction, countExisting } from './0020-statistics.ts'

/** Replaces a function and counts runs again. Older processes notice neither. */
export const breaking = false

/** The first form of 0020 counted a time that a run does not have as one of a millisecond, and found no models. Without it there is nothing to do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_proc where proname = 'runs_bucket' and proisstrict`.execute(db)
  if (rows.length > 0) return
  await sql.raw(bucketFunction).execute(db)
  await countExisting(db)
}
