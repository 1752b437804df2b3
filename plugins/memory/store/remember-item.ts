import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Reader, Store, Tx } from '#core/event-store/store.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { toRealArray } from '#core/retrieval/hybrid-search.ts'
import type { QueryVector } from '#core/retrieval/hybrid-search.ts'
import { itemRemembered } from '../contract/events.ts'
import type { MemorySettings } from '../contract/settings.ts'
import type { ItemOwner } from './item-memory.ts'
import { LANGUAGE } from './item-memory.ts'
import type { MemoryTables } from '../contract/tables.ts'
import { addUsage } from './usage.ts'

/** Content of an item: an owner has each content once, even if the request is repeated. */
export interface ItemContent {
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** An item to store. */
export interface NewItem extends ItemContent {
  /** Time until it is removed; the time in the settings applies if it is shorter. */
  readonly ttlMs: number | undefined
  readonly runId: string | undefined
  readonly vector: QueryVector | undefined
}

const DAY_MS = 86_400_000

/** Whether a live item of the owner has this content and a vector, so that a repeat is not embedded again. */
export async function isEmbedded(
  db: Reader<MemoryTables>,
  { uid, subject }: ItemOwner,
  content: ItemContent,
): Promise<boolean> {
  const { rows } = await sql`select 1 from memory_items
    where agent_uid = ${uid} and coalesce(subject, '') = ${subject ?? ''} and digest = ${digestOf(content)}
      and embedding is not null and expires_at > clock_timestamp()`.execute(db)
  return rows.length > 0
}

/**
 * Stores an item, its usage and its event in one transaction. Returns its id, or the id of the owner's item with the same content, which then lives
 * at least as long as the new one. Throws `memory_quota_exceeded`.
 */
export async function rememberItem(
  store: Store,
  owner: ItemOwner,
  item: NewItem,
  settings: MemorySettings,
): Promise<string> {
  const bytes = Buffer.byteLength(item.text) + Buffer.byteLength(JSON.stringify(item.metadata))
  return store.transact(async (tx) => {
    const { id, inserted } = await upsert(tx, owner, { ...item, bytes }, settings)
    if (!inserted) return id
    const { uid, namespace, name } = owner
    await addUsage(tx.tables<MemoryTables>(), { agentUid: uid, namespace }, bytes, settings)
    await tx.append(`memory/${uid}`, 'any', [
      {
        type: itemRemembered,
        subject: { namespace, kind: 'AgentDeployment', name, uid },
        actor: accountActor(`system:serviceaccount:${namespace}:${name}`),
        data: { itemId: id, agentUid: uid, bytes, runId: item.runId ?? null },
      },
    ])
    return id
  })
}

async function upsert(
  tx: Tx,
  { uid, namespace, subject }: ItemOwner,
  item: NewItem & { readonly bytes: number },
  { itemRetentionDays }: MemorySettings,
): Promise<{ readonly id: string; readonly inserted: boolean }> {
  const { text, runId, vector } = item
  const ttlMs = Math.min(item.ttlMs ?? Infinity, itemRetentionDays * DAY_MS)
  // Two writers of one content wait for each other at the index. An expired item that is not yet removed is renewed.
  const { rows } = await sql<{ id: string; inserted: boolean }>`insert into memory_items as old (
      id, agent_uid, namespace, subject, text, metadata, bytes, run_id, expires_at, search, embedding, embedding_space, digest)
    values (${uuidV7()}, ${uid}, ${namespace}, ${subject ?? null}, ${text}, ${JSON.stringify(item.metadata)}::jsonb,
      ${item.bytes}, ${runId ?? null}, clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond',
      to_tsvector(${LANGUAGE}::regconfig, ${text}), ${vector === undefined ? null : toRealArray(vector.values)}::real[],
      ${vector?.space ?? null}, ${digestOf(item)})
    on conflict (agent_uid, coalesce(subject, ''), digest) do update set
      expires_at = greatest(old.expires_at, excluded.expires_at),
      created_at = case when old.expires_at > clock_timestamp() then old.created_at else clock_timestamp() end,
      embedding = coalesce(excluded.embedding, old.embedding),
      embedding_space = coalesce(excluded.embedding_space, old.embedding_space)
    returning id, xmax = 0 as inserted`.execute(tx.tables<MemoryTables>())
  const [row] = rows
  if (row === undefined) throw new Error('an upsert returned no row')
  return row
}

function digestOf({ text, metadata }: ItemContent): Buffer {
  return createHash('sha256').update(canonicalJson({ text, metadata })).digest()
}
