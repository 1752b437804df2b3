import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a function, which older processes do not notice. */
export const breaking = false

/** The version check of an append as a statement that fails by itself, so that it is sent without waiting for its result (ADR 0069). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(advanceStream).execute(db)
}

// Retention removes streams without events in its window (range 0 is gone then). Their owners know the version and continue from it.
const advanceStream = `
create function advance_stream(given text, expected integer, added integer) returns void language plpgsql as $$
begin
  if expected > 0 then
    update streams set version = expected + added where stream = given and version = expected;
  end if;
  if expected = 0 or (not found and not exists (select 1 from event_ranges where range = 0)) then
    insert into streams (stream, version) values (given, expected + added) on conflict do nothing;
  end if;
  if not found then
    raise exception 'stream has another version' using errcode = 'MS002', detail = given, hint = expected::text;
  end if;
end $$`
