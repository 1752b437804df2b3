import { sql } from 'kysely'
import type { InsertObject, Transaction } from 'kysely'
import type { ConversationRow, RunsTables } from '../contract/tables.ts'

type Db = Transaction<RunsTables>
type Key = Pick<ConversationRow, 'subject' | 'agent_uid' | 'conversation_id'>

/** Columns that identify the conversation of a run. A conversation belongs to an agent and a subject. */
export const conversationKey = ['subject', 'agent_uid', 'conversation_id'] as const

const copied = [...conversationKey, 'namespace', 'namespace_uid', 'agent_name'] as const

/** Inserts a run, and its conversation or a newer end of it, in one statement. A run without an agent is no turn. */
export function insertTurn(tx: Db, run: InsertObject<RunsTables, 'runs_runs'>) {
  return tx
    .with('run', (db) => db.insertInto('runs_runs').values(run).returningAll())
    .insertInto('runs_conversations')
    .columns([...copied, 'started_at', 'last_at', 'last_run_id'])
    .expression((from) =>
      from
        .selectFrom('run')
        .select([...copied, 'created_at as started_at', 'created_at as last_at', 'id as last_run_id'])
        .where('agent_uid', 'is not', null)
        .$narrowType<{ agent_uid: string; agent_name: string }>(),
    )
    .onConflict((on) =>
      on.columns([...conversationKey]).doUpdateSet({
        // Independent of the order in which runs are applied.
        started_at: sql<Date>`least(runs_conversations.started_at, excluded.started_at)`,
        last_at: sql<Date>`greatest(runs_conversations.last_at, excluded.last_at)`,
        last_run_id: sql<string>`case
          when (excluded.last_at, excluded.last_run_id) > (runs_conversations.last_at, runs_conversations.last_run_id)
          then excluded.last_run_id else runs_conversations.last_run_id end`,
      }),
    )
}

/** Deletes a conversation whose last turn was removed. */
export async function deleteEmptyConversation(tx: Db, { subject, agent_uid, conversation_id }: Key): Promise<void> {
  await sql`delete from runs_conversations c
    where subject = ${subject} and agent_uid = ${agent_uid} and conversation_id = ${conversation_id} and not exists (
      select from runs_runs r where r.agent_uid = c.agent_uid and r.conversation_id = c.conversation_id
        and r.subject = c.subject collate "default")`.execute(tx)
}
