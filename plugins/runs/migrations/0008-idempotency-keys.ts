import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * The idempotency key of the request that made a run (ADR 0036), and a hash of what it asked for. An older process writes neither
 * column: its runs are not found by a key, as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table runs_content add column idempotency_key bytea, add column idempotency_request bytea',
  `create unique index runs_content_by_idempotency_key on runs_content (idempotency_key)
    where idempotency_key is not null`,
]
