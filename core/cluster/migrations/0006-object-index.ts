import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes name the tables as they were. */
export const breaking = true

/** Names of client-go for what informers store: object index, resume version, missed deletion. Rows are kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'ALTER TABLE observed RENAME TO object_index',
  'ALTER TABLE object_index RENAME COLUMN departed TO deletion_missed',
  'ALTER INDEX observed_pkey RENAME TO object_index_pkey',
  'ALTER INDEX observed_by_name RENAME TO object_index_by_name',
  'ALTER TABLE followed RENAME TO resume_versions',
  'ALTER INDEX followed_pkey RENAME TO resume_versions_pkey',
  'ALTER TABLE followed_namespaces RENAME TO namespace_resume_versions',
  'ALTER INDEX followed_namespaces_pkey RENAME TO namespace_resume_versions_pkey',
  // Epochs of a job never decrease.
  "UPDATE leader SET name = 'cluster.missed-deletions' WHERE name = 'cluster.departed'",
]
