import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** An index more: older processes do not notice it. */
export const breaking = false

/** The event door of a namespace looks for what is new every half second: without it each look read all that others did since. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index events_by_namespace on events (namespace, position)').execute(db)
}
