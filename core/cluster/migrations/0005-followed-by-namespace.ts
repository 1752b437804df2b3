import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes go on with `followed`, whose primary key they name in statements; it is therefore not changed. */
export const breaking = false

/**
 * Up to which version everything of a kind in one namespace is remembered. A row of `followed` is about all namespaces, so it holds for
 * each of them too: the newer of both is where a manager goes on.
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
