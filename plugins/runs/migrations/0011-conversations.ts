import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * What gives the runs of one conversation without reading the others of its namespace. Across namespaces the rows of the conversation
 * are sorted: one index less to write at each change of a run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index runs_runs_by_conversation
    on runs_runs (conversation_id, namespace_uid, created_at desc, id desc)`.execute(db)
}
