import { sql } from 'kysely'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { SessionAgent, SessionMemory } from '../session/session-memory.ts'
import type { MemoryTables } from '../contract/tables.ts'

const AT_ONCE = 100
// The state role caches an agent for 5 s, and a call of its pod takes 10 s: until then the agent may write again.
const WRITES_END_AFTER = '1 minute'

/** Records, in the transaction of the deletion, that the conversations of an agent must be erased. */
export async function requestErasure(tx: Tx, { namespace, uid }: SessionAgent): Promise<void> {
  await sql`insert into memory_erasures (agent_uid, namespace) values (${uid}, ${namespace})
    on conflict (agent_uid) do nothing`.execute(tx.tables<MemoryTables>())
}

/**
 * Erases the conversations of deleted agents: immediately, and again when their pods can no longer write. A row is removed after the second erasure,
 * so that neither a crash nor an outage of the store loses one.
 */
export async function eraseConversations(
  store: Store,
  session: Pick<SessionMemory, 'erase'>,
  signal: AbortSignal,
): Promise<void> {
  for (let last = ''; !signal.aborted;) {
    const due = await readDue(store, last)
    for (const { agent_uid: uid, namespace, final } of due) {
      await session.erase({ namespace, uid })
      await store.transact((tx) => markErased(tx, uid, final))
    }
    if (due.length < AT_ONCE) return
    last = due.at(-1)?.agent_uid ?? ''
  }
}

interface Due {
  readonly agent_uid: string
  readonly namespace: string
  readonly final: boolean
}

async function readDue(store: Store, after: string): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`select agent_uid, namespace, final from memory_erasures,
      lateral (select requested_at < clock_timestamp() - ${WRITES_END_AFTER}::interval as final) as age
    where agent_uid > ${after} and (erased_at is null or final) order by agent_uid limit ${AT_ONCE}`.execute(
    store.reader<MemoryTables>(),
  )
  return rows
}

async function markErased(tx: Tx, uid: string, final: boolean): Promise<void> {
  const db = tx.tables<MemoryTables>()
  await (final
    ? sql`delete from memory_erasures where agent_uid = ${uid}`.execute(db)
    : sql`update memory_erasures set erased_at = clock_timestamp() where agent_uid = ${uid}`.execute(db))
}
