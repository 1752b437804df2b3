import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes keep using `followed`, whose primary key their statements name; it is therefore unchanged. */
export const breaking = false

/**
 * The resourceVersion up to which every change of a kind in one namespace is recorded. A row of `followed` covers all namespaces; a manager
 * resumes at the newer of both.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE followed_namespaces (
      kind text NOT NULL,
      namespace text NOT NULL,
      rv text NOT NULL,
      PRIMARY KEY (kind, namespace)
    )`.execute(db)
}
