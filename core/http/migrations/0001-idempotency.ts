import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not notice. */
export const breaking = false

/** Requests with an `Idempotency-Key`, kept for a day: hashes and the encrypted response. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE idempotency (
      key bytea PRIMARY KEY,
      request bytea NOT NULL,
      answer bytea,
      created_at timestamptz NOT NULL
    )`.execute(db)
  await sql`CREATE INDEX idempotency_by_age ON idempotency (created_at)`.execute(db)
}
