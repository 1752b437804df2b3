import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a column that may be null. An object that an older process inserts has null, so that the next manager lists its kind. */
export const breaking = false

/** Conditions of an object that are not as they should be, so that trouble is found without listing every object. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table object_index add column problems jsonb',
  `create index object_index_troubled on object_index (kind, namespace, name)
    where deleted_at is null and problems <> '{}'`,
  `create index object_index_unread on object_index (kind) where deleted_at is null and problems is null`,
]
