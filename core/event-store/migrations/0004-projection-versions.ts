import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table and a function, which older processes do not notice. */
export const breaking = false

/** Records the version that filled each projection, and refuses events of a process whose projections have another one (ADR 0056). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table projection_versions (name text primary key, version integer not null, rebuild text)`.execute(
    db,
  )
  await sql.raw(appendProjectedEvents).execute(db)
}

// `append_events` takes the append lock first. A rebuild replaces the tables and the version under that lock.
const appendProjectedEvents = `
create function append_projected_events(lock bigint, given jsonb, keyed boolean, versions jsonb)
returns double precision language plpgsql as $$
declare
  waited double precision;
  other text;
begin
  waited := append_events(lock, given, keyed);
  select p.name into other from projection_versions p
    join jsonb_to_recordset(versions) as g(name text, version integer) on g.name = p.name where g.version <> p.version limit 1;
  if found then
    raise exception 'projection % has another version', other using errcode = 'MS001';
  end if;
  return waited;
end $$`
