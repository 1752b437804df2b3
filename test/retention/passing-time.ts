import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'

// Partitions of the audit log are days, and have their own test. Leases belong to live processes.
const stays = `relname like 'audit\\_%' or relname in ('leader', 'mesh_migrations', 'projection_versions', 'job_ticks')`

/** Lets days pass: every time that is stored moves into the past. */
export async function passDays(database: Database, days: number): Promise<void> {
  const interval = `interval ''${days} days''`
  await sql
    .raw(
      `do $$ declare one record; begin
        for one in select c.relname, string_agg(format(case when a.atttypid = 'date'::regtype
            then '%1$I = %1$I - ${days}' else '%1$I = %1$I - ${interval}' end, a.attname), ', ') as sets
          from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
            and a.attnum > 0 and not a.attisdropped and a.atttypid in ('timestamptz'::regtype, 'date'::regtype)
            and not (${stays})
          group by c.relname
        loop execute format('update %I set %s', one.relname, one.sets); end loop; end $$`,
    )
    .execute(database.root)
}

/** Rows and bytes of each table that has rows. */
export async function measure(database: Database): Promise<ReadonlyMap<string, { rows: number; bytes: number }>> {
  const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`.execute(database.root)
  const counted = sql.join(
    tables.map(
      ({ name }) => sql`select ${sql.lit(name)} as name, count(*)::integer as rows,
        coalesce(sum(pg_column_size(one.*)), 0)::integer as bytes from ${sql.table(name)} one`,
    ),
    sql` union all `,
  )
  const { rows } = await sql<{ name: string; rows: number; bytes: number }>`${counted}`.execute(database.root)
  return new Map(rows.filter((one) => one.rows > 0).map(({ name, ...size }) => [name, size]))
}
