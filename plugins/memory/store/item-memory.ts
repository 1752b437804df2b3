import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Reader, Store } from '#core/event-store/store.ts'
import { searchHybrid, toRealArray } from '#core/retrieval/hybrid-search.ts'
import type { QueryVector } from '#core/retrieval/hybrid-search.ts'
import { itemRemembered } from '../events.ts'
import type { MemorySettings } from '../settings.ts'
import type { MemoryTables } from './tables.ts'
import { addUsage } from './usage.ts'

/** Whose items: those of an agent, and of one user if the agent keeps them per user. */
export interface ItemOwner {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Undefined: items are shared by all users of the agent. */
  readonly subject: string | undefined
}

/** An item to store. */
export interface NewItem {
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Time until it is removed; that of the settings if it is shorter. */
  readonly ttlMs: number | undefined
  readonly runId: string | undefined
  readonly vector: QueryVector | undefined
}

/** A question to long-term memory. */
export interface ItemQuery {
  readonly query: string
  readonly limit: number
  /** Fields that the metadata of an item must have. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly vector: QueryVector | undefined
}

/** An item that answers a question. */
export interface RankedItem {
  readonly id: string
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly score: number
  readonly createdAt: string
}

// Texts are of any language: words are found as they were written.
const LANGUAGE = 'simple'
const DAY_MS = 86_400_000

/** Stores an item, its usage and its event in one transaction. Returns its id. Throws `memory_quota_exceeded`. */
export async function rememberItem(
  store: Store,
  owner: ItemOwner,
  item: NewItem,
  settings: MemorySettings,
): Promise<string> {
  const { uid, namespace, name, subject } = owner
  const { text, runId, vector } = item
  const id = uuidV7()
  const metadata = JSON.stringify(item.metadata)
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(metadata)
  const ttlMs = Math.min(item.ttlMs ?? Infinity, settings.itemRetentionDays * DAY_MS)
  await store.transact(async (tx) => {
    const db = tx.tables<MemoryTables>()
    await addUsage(db, { agentUid: uid, namespace }, bytes, settings)
    await sql`insert into memory_items
        (id, agent_uid, namespace, subject, text, metadata, bytes, run_id, expires_at, search, embedding, embedding_space)
      values (${id}, ${uid}, ${namespace}, ${subject ?? null}, ${text}, ${metadata}::jsonb, ${bytes}, ${runId ?? null},
        clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond', to_tsvector(${LANGUAGE}::regconfig, ${text}),
        ${vector === undefined ? null : toRealArray(vector.values)}::real[], ${vector?.space ?? null})`.execute(db)
    await tx.append(`memory/${uid}`, 'any', [
      {
        type: itemRemembered,
        subject: { namespace, kind: 'AgentDeployment', name, uid },
        actor: accountActor(`system:serviceaccount:${namespace}:${name}`),
        data: { itemId: id, agentUid: uid, bytes, runId: runId ?? null },
      },
    ])
  })
  return id
}

/** Items of the owner that answer a question, best first. */
export async function searchItems(
  db: Reader<MemoryTables>,
  owner: ItemOwner,
  { query, limit, filter, vector }: ItemQuery,
): Promise<readonly RankedItem[]> {
  const scope = sql`${visibleTo(owner)} and metadata @> ${JSON.stringify(filter)}::jsonb`
  const ranked = await searchHybrid(db, { table: 'memory_items', scope, query, language: LANGUAGE, vector, limit })
  if (ranked.length === 0) return []
  const { rows } = await sql<{ id: string; text: string; metadata: Record<string, unknown>; created_at: Date }>`
    select id, text, metadata, created_at from memory_items
    where ${visibleTo(owner)} and id = any(${ranked.map(({ id }) => id)}::uuid[])`.execute(db)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ranked.flatMap(({ id, score }) => {
    const row = byId.get(id)
    if (row === undefined) return []
    const { text, metadata, created_at: createdAt } = row
    return [{ id, text, metadata, score, createdAt: createdAt.toISOString() }]
  })
}

// What a user's runs stored is never shown to another one, also after the spec was changed.
function visibleTo({ uid, subject }: ItemOwner): RawBuilder<unknown> {
  const owned = subject === undefined ? sql`subject is null` : sql`(subject is null or subject = ${subject})`
  return sql`agent_uid = ${uid} and ${owned} and expires_at > clock_timestamp()`
}
