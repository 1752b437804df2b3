import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Conversations of erased people, which the state role has to erase, and the items of a person and of a run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table memory_subject_erasures (
    id uuid primary key, agent_uid text, namespace text, conversation text not null,
    requested_at timestamptz not null default clock_timestamp(), erased_at timestamptz, final boolean not null default false
  )`,
  `create unique index memory_subject_erasures_of_agent on memory_subject_erasures (agent_uid, conversation)
    where agent_uid is not null and not final`,
  'create index memory_subject_erasures_due on memory_subject_erasures (id) where not final',
  'create index memory_items_by_subject on memory_items (subject) where subject is not null',
  'create index memory_items_by_run on memory_items (run_id) where run_id is not null',
]
