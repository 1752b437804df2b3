import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Functions more: older processes do not notice them. */
export const breaking = false

/** Claims keys and inserts rows where they are: their plans are kept for the session, and planning was a tenth of what a batch costs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [claim, insert]) await sql.raw(statement).execute(db)
}

// In the order of the ids, so that replicas with overlapping batches wait for each other in one order. Two of them have the same
// generation open; what is in an older one was committed before it was closed. Gives the ids that are claimed already: rarely any.
const claim = `
  create function audit_claim(into_generation integer, retention_days integer, ids uuid[], times timestamptz[], exacts boolean[])
  returns uuid[] language plpgsql as $$
  #variable_conflict use_column
  declare
    others uuid[];
  begin
    with fresh as (
        insert into audit_keys (generation, id, occurred_at, exact)
        select into_generation, given.id, given.occurred_at, given.exact
        from unnest(ids, times, exacts) as given(id, occurred_at, exact)
        where given.occurred_at >= clock_timestamp() - make_interval(days => retention_days)
          and not exists (
            select from audit_keys older where older.id = given.id and older.generation < into_generation)
        order by given.id on conflict (id, generation) do nothing returning id)
    select coalesce(array_agg(given.id), '{}') into others from unnest(ids) as given(id)
    where given.id not in (select id from fresh);
    return others;
  end $$`

const columns = 'source, actor, actor_kind, action, resource_kind, resource_name, namespace, outcome, trace_id, detail'
const rows = (onConflict: string): string => `
  insert into audit_log (id, occurred_at, ${columns})
  select * from unnest(ids, times, sources, actors, actor_kinds, actions, kinds, names, namespaces, outcomes, traces, details)
    as given(id, occurred_at, ${columns})
  where cardinality(claimed) = 0 or given.id <> all (claimed) ${onConflict};`

// `again`: rows that may be there without their key.
const insert = `
  create function audit_insert(into_generation integer, retention_days integer, again boolean, ids uuid[], times timestamptz[],
    exacts boolean[], sources text[], actors text[], actor_kinds text[], actions text[], kinds text[], names text[],
    namespaces text[], outcomes text[], traces text[], details jsonb[])
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
