import { createHash } from 'node:crypto'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { SelectedRun } from '../contract/tables.ts'

/**
 * Conversation of a delegated run (ADR 0022): a hash of the parent's conversation, the delegating agent, and the name given by the pod, if any. The
 * same parent conversation yields the same conversation with the other agent. No name can address a conversation that was not started by delegation
 * from this one. Without a parent the agent acts on its own behalf.
 */
export function delegatedConversation(
  parent: Pick<SelectedRun, 'conversation_id' | 'agent_uid'> | undefined,
  named: string | undefined,
): string {
  if (!parent) return named ?? uuidV7()
  const parts = [parent.agent_uid, parent.conversation_id, named ?? null]
  return `d-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`
}
