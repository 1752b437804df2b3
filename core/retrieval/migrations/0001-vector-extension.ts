import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * Creates the extension pgvector where the server offers it and this role may. Otherwise searches are full-text, until an operator creates
 * it: no table depends on it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`do $$ begin
    if exists (select from pg_available_extensions where name = 'vector') then
      create extension if not exists vector;
    end if;
  exception when others then
    raise notice 'the extension vector was not created: %', sqlstate;
  end $$`.execute(db)
}
