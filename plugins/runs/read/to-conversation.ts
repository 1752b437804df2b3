import type { Static } from 'typebox'
import type { Conversation, Subject, Turn } from '#schemas/api/conversations.ts'
import type { ListedConversation, ListedSubject, SelectedTurn } from '../store/conversations.ts'
import { toError, usageOfRow } from './to-run.ts'

/** Converts a conversation for a list. */
export function toConversation(row: ListedConversation): Static<typeof Conversation> {
  const { conversation_id: id, agent_name: name, agent_uid: uid, namespace, subject, turns } = row
  return {
    id,
    agent: { namespace, name, uid },
    subject,
    turns,
    startedAt: row.started_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    last: row.last_state === null ? null : { runId: row.last_run_id, state: row.last_state },
  }
}

/** Converts a subject for a list. */
export function toListedSubject({
  subject,
  namespace,
  conversations,
  last_at: at,
}: ListedSubject): Static<typeof Subject> {
  return { subject, namespace, conversations, lastAt: at.toISOString() }
}

/** Converts a run to a turn of its conversation. */
export function toTurn(row: SelectedTurn): Static<typeof Turn> {
  const { id, namespace, agent_name: name, agent_revision: revision, subject, state, truncated } = row
  return {
    runId: id,
    agent: name === null ? null : { namespace, name, revision },
    subject,
    state,
    input: row.input ?? null,
    output: row.output ?? null,
    truncated,
    error: toError(row, row.content_error),
    usage: usageOfRow(row),
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
