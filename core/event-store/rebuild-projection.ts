import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { StoredEvent } from './event.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { applyWithin } from './projections.ts'
import type { ApplyBound } from './projections.ts'
import { appendLock } from './append.ts'
import { txWithTables } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { readAfter } from './read-events.ts'
import type { Projection } from './store.ts'
import type { CoreTables } from '#core/database/core-tables.ts'

const pageSize = 500

/**
 * Rebuilds a projection from the log while the system runs: new tables in a separate schema are filled, caught up, and swapped in under a
 * short lock. The version of the projection is replaced with them: from then on, a process with another version cannot append its events (ADR
 * 0056). `apply` is unchanged: the search path decides which tables it writes. A rebuild that was started later stops this one.
 */
export async function rebuild(
  database: Database,
  projection: Projection,
  applySeconds?: number,
): Promise<{ readonly events: number }> {
  await refuseWhenPruned(database.db, projection)
  const token = uuidV7()
  const bound = applyWithin(applySeconds)
  const schema = `rebuild_${projection.name.replaceAll(/\W/g, '_')}`
  await database.root.transaction().execute(async (db) => {
    await takeOver(txWithTables<CoreTables>(db), projection, token)
    await shadowTables(db, schema, projection.tables)
  })
  let position = 0n
  let events = 0
  const replay = async (db: Transaction<unknown>): Promise<number> => {
    await assertLatest(txWithTables<CoreTables>(db), projection, token)
    const page = await readTypes(txWithTables<CoreTables>(db), projection, position)
    await applyIn(db, { schema, projection, bound }, page)
    position = page.at(-1)?.position ?? position
    events += page.length
    return page.length
  }
  while ((await database.root.transaction().execute(replay)) === pageSize);
  await database.root.transaction().execute(async (db) => {
    await sql`set local lock_timeout = '20s'`.execute(db)
    // The row is locked before the tables, as in a later rebuild that takes over: in the reverse order, each would wait for the other.
    await assertLatest(txWithTables<CoreTables>(db), projection, token)
    // Tables before the append lock: a writer that has applied an event holds them while it waits for the append lock, never the reverse.
    await sql`lock table ${sql.join(projection.tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(
      db,
    )
    await sql`select pg_advisory_xact_lock(${sql.lit(appendLock)})`.execute(db)
    while ((await replay(db)) > 0);
    await refuseWhenPruned(txWithTables<CoreTables>(db), projection)
    await swapTables(db, schema, projection.tables)
    await recordVersion(txWithTables<CoreTables>(db), projection)
  })
  return { events }
}

// Waits for a transaction of an earlier rebuild, which stops at its next page: two of them would fill the same tables.
async function takeOver(db: Kysely<CoreTables>, { name, version }: Projection, token: string): Promise<void> {
  await db
    .insertInto('projection_versions')
    .values({ name, version, rebuild: token })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ rebuild: token }))
    .execute()
}

async function assertLatest(db: Kysely<CoreTables>, { name }: Projection, token: string): Promise<void> {
  const query = db.selectFrom('projection_versions').select('rebuild').where('name', '=', name)
  const row = await query.forShare().executeTakeFirst()
  if (row?.rebuild !== token) throw new Error(`another rebuild of ${name} was started; this one stops`)
}

async function recordVersion(db: Kysely<CoreTables>, { name, version }: Projection): Promise<void> {
  await db.updateTable('projection_versions').set({ version, rebuild: null }).where('name', '=', name).execute()
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
  { schema, projection, bound }: { schema: string; projection: Projection; bound: ApplyBound },
  events: readonly StoredEvent[],
): Promise<void> {
  await sql`select set_config('search_path', ${`${schema}, public`}, true)`.execute(db)
  await bound(async ({ apply }) => {
    for (const { position: _, ...event } of events) await apply(projection, event, db)
  })
  await sql`select set_config('search_path', 'public', true)`.execute(db)
}

async function refuseWhenPruned(db: Kysely<CoreTables>, { name }: Projection): Promise<void> {
  const row = await db.selectFrom('event_ranges').select('range').where('range', '=', 0).executeTakeFirst()
  if (row === undefined) {
    throw new Error(`projection ${name} cannot be rebuilt: retention has dropped the beginning of the log`)
  }
}

/** Creates empty copies of tables in another schema, with the same constraints and indexes under the same names. */
async function shadowTables(db: Kysely<unknown>, schema: string, tables: readonly string[]): Promise<void> {
  await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(db)
  await sql`create schema ${sql.id(schema)}`.execute(db)
  for (const table of tables) {
    await sql`create table ${sql.id(schema, table)} (like ${sql.id('public', table)}
      including defaults including generated including identity including storage including comments)`.execute(db)
    for (const statement of await definitions(db, schema, table)) await sql.raw(statement).execute(db)
  }
}

/**
 * Swaps the copies with the tables. Triggers, which serve processes of an older version, come last: the projection has written what they would.
 * Fails without a change if another object (a view, a foreign key) depends on an old table.
 */
async function swapTables(db: Kysely<unknown>, schema: string, tables: readonly string[]): Promise<void> {
  const statements: string[] = []
  for (const table of tables) {
    statements.push(...(await triggers(db, table)))
    await sql`drop table ${sql.id('public', table)}`.execute(db)
    await sql`alter table ${sql.id(schema, table)} set schema public`.execute(db)
  }
  for (const statement of statements) await sql.raw(statement).execute(db)
  await sql`drop schema ${sql.id(schema)}`.execute(db)
}

async function triggers(db: Kysely<unknown>, table: string): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select pg_get_triggerdef(oid) as statement from pg_trigger
    where tgrelid = ${`public.${table}`}::regclass and not tgisinternal order by tgname`.execute(db)
  return rows.map((row) => row.statement)
}

// Keys and checks first, then the indexes that belong to no constraint.
async function definitions(db: Kysely<unknown>, schema: string, table: string): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    with t as (select ${`public.${table}`}::regclass as oid)
    select format('alter table %I.%I add constraint %I %s', ${schema}::text, ${table}::text, c.conname,
      pg_get_constraintdef(c.oid)) as statement
    from pg_constraint c, t where c.conrelid = t.oid and c.contype in ('p', 'u', 'c', 'f', 'x')
    union all
    select replace(pg_get_indexdef(i.indexrelid), format(' ON public.%I ', ${table}::text),
      format(' ON %I.%I ', ${schema}::text, ${table}::text))
    from pg_index i, t where i.indrelid = t.oid
      and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = t.oid)`.execute(db)
  return rows.map((row) => row.statement)
}
