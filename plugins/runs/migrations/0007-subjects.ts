import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * Who a run is done for, and who answered its last interrupt (ADR 0022). Of older runs the subject is the creator of their root
 * run. An older process writes neither column: the trigger derives the subject for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table runs_runs add column subject text, add column decided_by text',
  `update runs_runs set subject = coalesce(
    (select root.trigger_by from runs_runs root where root.id = runs_runs.root_run_id), trigger_by)`,
  `create function runs_subject() returns trigger language plpgsql as $$
    begin
      new.subject := coalesce((select subject from runs_runs where id = new.root_run_id), new.trigger_by);
      return new;
    end $$`,
  `create trigger runs_subject_made before insert on runs_runs for each row when (new.subject is null)
    execute function runs_subject()`,
  'alter table runs_runs alter column subject set not null',
  // The older index would read every run with the same conversation id, for any subject.
  'create index runs_runs_by_subject on runs_runs (agent_uid, conversation_id, subject, created_at desc)',
  'drop index runs_runs_by_conversation',
]
