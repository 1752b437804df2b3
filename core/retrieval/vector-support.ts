import { sql } from 'kysely'
import type { QueryExecutorProvider } from 'kysely'

// An operator may install the extension at any time; a removed one fails the next search.
const ABSENT_MS = 60_000

/** Returns whether the database has pgvector. A positive result is remembered, a negative one for a minute. */
export function createVectorSupport(
  db: QueryExecutorProvider,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let known: { readonly present: boolean; readonly at: number } | undefined
  return async () => {
    if (known !== undefined && (known.present || now() - known.at < ABSENT_MS)) return known.present
    const { rows } = await sql<{ present: boolean }>`
      select to_regtype('vector') is not null and to_regoperator('<=>(vector,vector)') is not null as present`.execute(
      db,
    )
    known = { present: rows[0]?.present === true, at: now() }
    return known.present
  }
}
