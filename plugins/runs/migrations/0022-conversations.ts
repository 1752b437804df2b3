import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not notice. Turns that they create during an upgrade show with the next turn of their conversation. */
export const breaking = false

/** A row per conversation of an agent with a subject, for lists of conversations and of subjects (ADR 0271). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table runs_conversations (
    subject text collate "C" not null, agent_uid text not null, conversation_id text not null,
    namespace text not null, namespace_uid text not null, agent_name text not null,
    started_at timestamptz not null, last_at timestamptz not null, last_run_id uuid not null,
    primary key (subject, agent_uid, conversation_id))`,
  `insert into runs_conversations
    select subject, agent_uid, conversation_id, max(namespace), max(namespace_uid), max(agent_name),
      min(created_at), max(created_at), (array_agg(id order by created_at desc, id desc))[1]
    from runs_runs where agent_uid is not null group by subject, agent_uid, conversation_id`,
  // By bytes, so that subjects with a prefix are neighbours. A list has the newest first; the id orders those of one instant.
  'create index runs_conversations_by_time on runs_conversations (last_at desc, last_run_id desc)',
  'create index runs_conversations_by_namespace on runs_conversations (namespace_uid, last_at desc, last_run_id desc)',
  'create index runs_conversations_by_agent on runs_conversations (namespace_uid, agent_name, last_at desc, last_run_id desc)',
  'create index runs_conversations_by_subject on runs_conversations (namespace_uid, subject, last_at desc, last_run_id desc)',
]
