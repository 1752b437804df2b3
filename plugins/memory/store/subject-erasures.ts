import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Reader, Tx } from '#core/event-store/store.ts'
import type { SessionAgent } from '../session/session-memory.ts'
import type { MemoryTables } from '../contract/tables.ts'

// As for a deleted agent: calls that began before the runs were removed have ended.
const WRITES_END_AFTER = '1 minute'

/** Conversations of a person with every agent, in one namespace or in all: those whose stored name has a prefix. */
export interface PersonConversations {
  readonly erasureId: string
  readonly prefix: string
  readonly namespace: string | null
}

/** Requests the erasure of conversations by the state role, once. Returns whether they are erased. */
export async function requestPersonErasure(
  tx: Tx,
  { erasureId, prefix, namespace }: PersonConversations,
): Promise<boolean> {
  const { rows } = await sql<{ erased: boolean }>`
    insert into memory_subject_erasures (id, namespace, conversation) values (${erasureId}, ${namespace}, ${prefix})
    on conflict (id) do update set conversation = excluded.conversation
    returning erased_at is not null as erased`.execute(tx.tables<MemoryTables>())
  return rows[0]?.erased === true
}

/** A conversation that an agent named itself. */
export interface NamedConversation extends SessionAgent {
  readonly conversation: string
}

/** Requests the erasure of conversations that agents named themselves, after those of erased runs. */
export async function requestConversationErasures(tx: Tx, of: readonly NamedConversation[]): Promise<void> {
  await sql`insert into memory_subject_erasures (id, agent_uid, namespace, conversation)
    select * from unnest(${of.map(() => uuidV7())}::uuid[], ${of.map(({ uid }) => uid)}::text[],
      ${of.map(({ namespace }) => namespace)}::text[], ${of.map(({ conversation }) => conversation)}::text[])
    on conflict do nothing`.execute(tx.tables<MemoryTables>())
}

/** Conversations to erase; without an agent those of all agents whose name has a prefix. */
export interface DueConversations {
  readonly id: string
  readonly uid: string | null
  readonly namespace: string | null
  readonly conversation: string
  readonly final: boolean
}

/** Conversations that are due: immediately, and again when no call of the erased runs can write. */
export async function readDueConversations(
  db: Reader<MemoryTables>,
  after: string,
  limit: number,
): Promise<readonly DueConversations[]> {
  const { rows } = await sql<DueConversations>`
    select id, agent_uid as uid, namespace, conversation, age.final from memory_subject_erasures e,
      lateral (select requested_at < clock_timestamp() - ${WRITES_END_AFTER}::interval as final) as age
    where not e.final and (erased_at is null or age.final) and id > ${after}::uuid order by id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Records an erasure. Requests are kept for a day, since the one that asks for them may ask again. */
export async function markConversationsErased(tx: Tx, { id, final }: DueConversations): Promise<void> {
  const db = tx.tables<MemoryTables>()
  await sql`update memory_subject_erasures set erased_at = clock_timestamp(), final = ${final} where id = ${id}`.execute(
    db,
  )
  await sql`delete from memory_subject_erasures where final and erased_at < clock_timestamp() - interval '1 day'`.execute(
    db,
  )
}

/** Live agents of a namespace, or of all, after one of them. */
export async function readLiveAgents(
  db: Reader<MemoryTables>,
  namespace: string | null,
  after: string,
  limit: number,
): Promise<readonly SessionAgent[]> {
  const { rows } = await sql<SessionAgent>`select uid, namespace from object_index
    where kind = 'AgentDeployment' and deleted_at is null and uid > ${after}
      and ${namespace === null ? sql`true` : sql`namespace = ${namespace}`}
    order by uid limit ${limit}`.execute(db)
  return rows
}
