import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** What gives a page of the runs in a state, or with a label, without reading the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create index runs_runs_by_state on runs_runs (state, created_at desc, id desc)',
  'create index runs_runs_by_namespace_state on runs_runs (namespace_uid, state, created_at desc, id desc)',
  'create index runs_runs_by_agent_state on runs_runs (agent_uid, state, created_at desc, id desc)',
  `create table runs_labels (
    run_id uuid not null, key text not null, value text not null, namespace_uid text not null,
    created_at timestamptz not null, primary key (run_id, key))`,
  `insert into runs_labels (run_id, key, value, namespace_uid, created_at)
    select id, key, value, namespace_uid, created_at from runs_runs, jsonb_each_text(labels)`,
  'create index runs_labels_by_value on runs_labels (key, value, created_at desc, run_id desc)',
  'create index runs_labels_by_namespace on runs_labels (namespace_uid, key, value, created_at desc, run_id desc)',
  // Processes of before this step write runs_runs alone. A rebuild leaves the trigger behind: by then all are newer.
  `create function runs_label_rows() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        delete from runs_labels where run_id = old.id;
        return old;
      end if;
      insert into runs_labels (run_id, key, value, namespace_uid, created_at)
        select new.id, key, value, new.namespace_uid, new.created_at from jsonb_each_text(new.labels)
        on conflict do nothing;
      return new;
    end $$`,
  `create trigger runs_labels_made after insert on runs_runs for each row when (new.labels <> '{}')
    execute function runs_label_rows()`,
  `create trigger runs_labels_removed after delete on runs_runs for each row when (old.labels <> '{}')
    execute function runs_label_rows()`,
]
