import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes do not know the table and are not disturbed by it. */
export const breaking = false

/** Requests with an `Idempotency-Key`, for a day: hashes and the encrypted answer. */
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
