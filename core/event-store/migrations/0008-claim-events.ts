import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a function, which older processes do not notice. */
export const breaking = false

/** What a consumer does before it handles a batch, as one statement. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(claimEvents).execute(db)
}

// The low watermark is locked first: raising it deletes inbox rows, after which only its new value shows that they were handled. Rows are
// inserted in the order of their ids, so that two replicas with overlapping batches lock in the same order.
const claimEvents = `
create function claim_events(who text, ids text[], positions bigint[], is_done boolean) returns text[] language plpgsql as $$
declare
  low_watermark bigint;
  claimed text[];
begin
  select c.position into low_watermark from cursor c where c.name = who and c.stream = '*' for key share;
  with fresh as (
    insert into inbox (consumer, event_id, position)
    select who, e.id, e.position from unnest(ids, positions) as e (id, position)
    where e.position > coalesce(low_watermark, 0) order by e.id
    on conflict do nothing returning event_id)
  select coalesce(array_agg(event_id), '{}') into claimed from fresh;
  if is_done then
    delete from dead_letter where consumer = who and event_id = any (claimed);
  end if;
  return claimed;
end $$`
