import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { StoredEvent } from './event.ts'
import { appendLock } from './append.ts'
import type { Database } from './database.ts'
import { readAfter } from './events.ts'
import { shadowTables, swapTables } from './shadow-tables.ts'
import type { Projection } from './store.ts'
import type { CoreTables } from './tables.ts'
import { txWithTables } from './tables-view.ts'

const pageSize = 500

/**
 * Rebuilds a projection from the log while the system runs: new tables in a schema of their own are filled, caught up, and swapped in
 * under a short lock. `apply` is the same function, with the same table names: the search path decides which tables it writes.
 */
export async function rebuild(database: Database, projection: Projection): Promise<{ readonly events: number }> {
  await refuseWhenPruned(database.db)
  const schema = `rebuild_${projection.name.replaceAll(/\W/g, '_')}`
  await database.root.transaction().execute((db) => shadowTables(db, schema, projection.tables))
  let position = 0n
  let events = 0
  const replay = async (db: Transaction<unknown>): Promise<number> => {
    const page = await readTypes(txWithTables<CoreTables>(db), projection, position)
    await applyIn(db, schema, projection, page)
    position = page.at(-1)?.position ?? position
    events += page.length
    return page.length
  }
  while ((await database.root.transaction().execute(replay)) === pageSize);
  await database.root.transaction().execute(async (db) => {
    await sql`set local lock_timeout = '20s'`.execute(db)
    // The tables first: a writer that has applied an event waits for the append lock while it holds them, never the reverse.
    await sql`lock table ${sql.join(projection.tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(
      db,
    )
    await sql`select pg_advisory_xact_lock(${sql.lit(appendLock)})`.execute(db)
    while ((await replay(db)) > 0);
    await swapTables(db, schema, projection.tables)
  })
  return { events }
}

async function readTypes(
  db: Kysely<CoreTables>,
  projection: Projection,
  after: bigint,
): Promise<readonly StoredEvent[]> {
  return readAfter(db, after, pageSize, { types: projection.types.map((type) => type.type) })
}

async function applyIn(
  db: Transaction<unknown>,
  schema: string,
  projection: Projection,
  events: readonly StoredEvent[],
): Promise<void> {
  await sql`select set_config('search_path', ${`${schema}, public`}, true)`.execute(db)
  for (const { position: _, ...event } of events) await projection.apply(event, db)
  await sql`select set_config('search_path', 'public', true)`.execute(db)
}

async function refuseWhenPruned(db: Kysely<CoreTables>): Promise<void> {
  const row = await db.selectFrom('event_ranges').select('range').where('range', '=', 0).executeTakeFirst()
  if (row === undefined) {
    throw new Error(
      'retention has dropped the beginning of the log: a rebuild would lose what is known only from there',
    )
  }
}
