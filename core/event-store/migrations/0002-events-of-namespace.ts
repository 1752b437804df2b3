import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds an index, which older processes do not notice. */
export const breaking = false

/** The event feed of a namespace polls every half second. Without this index each poll reads the events of all namespaces. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index events_by_namespace on events (namespace, position)').execute(db)
}
