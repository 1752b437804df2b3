import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Makes empty twins of tables in a schema of their own, with the same constraints and indexes under the same names. */
export async function shadowTables(db: Kysely<unknown>, schema: string, tables: readonly string[]): Promise<void> {
  await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(db)
  await sql`create schema ${sql.id(schema)}`.execute(db)
  for (const table of tables) {
    await sql`create table ${sql.id(schema, table)} (like ${sql.id('public', table)}
      including defaults including generated including identity including storage including comments)`.execute(db)
    for (const statement of await definitions(db, schema, table)) await sql.raw(statement).execute(db)
  }
}

/** Puts the twins in the place of the tables. What depends on an old table (a view, a foreign key) makes this fail, and nothing changes. */
export async function swapTables(db: Kysely<unknown>, schema: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await sql`drop table ${sql.id('public', table)}`.execute(db)
    await sql`alter table ${sql.id(schema, table)} set schema public`.execute(db)
  }
  await sql`drop schema ${sql.id(schema)}`.execute(db)
}

// Keys and checks first; then the indexes that no constraint made.
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
