import type { Store } from '#core/event-store/store.ts'
import type { SessionMemory } from '../session/session-memory.ts'
import type { MemoryTables } from '../contract/tables.ts'
import { markConversationsErased, readDueConversations, readLiveAgents } from './subject-erasures.ts'
import type { DueConversations } from './subject-erasures.ts'

const AT_ONCE = 100
const FIRST = '00000000-0000-0000-0000-000000000000'

type Session = Pick<SessionMemory, 'eraseNamed' | 'erasePrefix'>

/**
 * Erases conversations of erased people. A request is marked after its erasure, so that neither a crash nor an outage of the store loses one.
 * Without a state store there are no conversations.
 */
export async function erasePeople(store: Store, session: Session | undefined, signal: AbortSignal): Promise<void> {
  for (let last = FIRST; !signal.aborted;) {
    const due = await readDueConversations(store.reader<MemoryTables>(), last, AT_ONCE)
    for (const one of due) {
      if (session !== undefined) await eraseDue(store, session, one, signal)
      if (signal.aborted) return
      await store.transact((tx) => markConversationsErased(tx, one))
    }
    if (due.length < AT_ONCE) return
    last = due.at(-1)?.id ?? FIRST
  }
}

async function eraseDue(store: Store, session: Session, due: DueConversations, signal: AbortSignal): Promise<void> {
  const { uid, namespace, conversation } = due
  if (uid !== null) return session.eraseNamed({ uid, namespace: namespace ?? '' }, conversation)
  for (let last = ''; !signal.aborted;) {
    const agents = await readLiveAgents(store.reader<MemoryTables>(), namespace, last, AT_ONCE)
    for (const agent of agents) await session.erasePrefix(agent, conversation)
    if (agents.length < AT_ONCE) return
    last = agents.at(-1)?.uid ?? ''
  }
}
