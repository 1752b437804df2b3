import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import { searchHybrid } from '#core/retrieval/hybrid-search.ts'
import type { QueryVector } from '#core/retrieval/hybrid-search.ts'
import type { MemoryTables } from '../contract/tables.ts'

/** Owner of items: an agent, and one user if the agent keeps items per user. */
export interface ItemOwner {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Undefined: items are shared by all users of the agent. */
  readonly subject: string | undefined
}

/** A query of long-term memory. */
export interface ItemQuery {
  readonly query: string
  readonly limit: number
  /** Fields that the metadata of an item must have. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly vector: QueryVector | undefined
}

/** An item that matches a query. */
export interface RankedItem {
  readonly id: string
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly score: number
  readonly createdAt: string
}

/** Texts are of any language: words match as written. */
export const LANGUAGE = 'simple'

/** Items of the owner that match a query, best first. */
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

// Items of one user's runs are never shown to another user, even after a change of the spec.
function visibleTo({ uid, subject }: ItemOwner): RawBuilder<unknown> {
  const owned = subject === undefined ? sql`subject is null` : sql`(subject is null or subject = ${subject})`
  return sql`agent_uid = ${uid} and ${owned} and expires_at > clock_timestamp()`
}
