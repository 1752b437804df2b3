import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Columns that may be null and a function with other parameters: older processes do not notice them. */
export const breaking = false

/** Rows say whether their actor is authenticated and which namespace they are of; a key may name the actor of a row to come. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...columns, insert]) await sql.raw(statement).execute(db)
}

const columns = [
  'alter table audit_log add column actor_exact boolean, add column namespace_uid text',
  'alter table audit_keys add column claimed_at timestamptz, add column claim jsonb',
]

const named = `source, actor, actor_kind, action, resource_kind, resource_name, namespace, outcome, trace_id, detail,
  actor_exact, namespace_uid`
const rows = (onConflict: string): string => `
  insert into audit_log (id, occurred_at, ${named})
  select * from unnest(ids, times, sources, actors, actor_kinds, actions, kinds, names, namespaces, outcomes, traces, details,
      exacts, namespace_uids)
    as given(id, occurred_at, ${named})
  where cardinality(claimed) = 0 or given.id <> all (claimed) ${onConflict};`

// As `audit_insert` of 0007, with the columns of this migration. `again`: rows that may be there without their key.
const insert = `
  create function audit_insert(into_generation integer, retention_days integer, again boolean, ids uuid[], times timestamptz[],
    exacts boolean[], sources text[], actors text[], actor_kinds text[], actions text[], kinds text[], names text[],
    namespaces text[], outcomes text[], traces text[], details jsonb[], namespace_uids text[])
  returns uuid[] language plpgsql as $$
  #variable_conflict use_column
  declare
    claimed uuid[] := audit_claim(into_generation, retention_days, ids, times, exacts);
  begin
    if again then ${rows('on conflict (occurred_at, id) do nothing')}
    else ${rows('')}
    end if;
    return claimed;
  end $$`
