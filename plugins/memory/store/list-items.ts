import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RowKey } from '#core/http/store/store-list.ts'
import type { AgentMemoryItem } from '#schemas/api/memory.ts'
import type { MemoryTables } from '../contract/tables.ts'
import { agentOwner } from './usage.ts'

type Proof = Access<'list', 'agentmemories'>

interface ListedRow {
  readonly id: string
  readonly text: string
  readonly metadata: Record<string, unknown>
  readonly subject: string | null
  readonly run_id: string | null
  readonly bytes: number
  /** With microseconds, as PostgreSQL orders them. */
  readonly created: string
  readonly expires_at: Date
}

/** A page of the items of an agent in the proof's namespace, newest first. */
export async function listItems(
  db: Reader<MemoryTables>,
  { namespace }: Proof,
  agentUid: string,
  { limit, after }: { readonly limit: number; readonly after: RowKey | undefined },
): Promise<readonly AgentMemoryItem[]> {
  const [created, id] = after ?? []
  const behind = after === undefined ? sql`true` : sql`(created_at, id) < (${created}::timestamptz, ${id}::uuid)`
  const { rows } = await sql<ListedRow>`
    select id, text, metadata, subject, run_id, bytes, expires_at,
      to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created
    from memory_items
    where agent_uid = ${agentUid} and namespace = ${namespace} and expires_at > clock_timestamp() and ${behind}
    order by created_at desc, id desc limit ${limit}`.execute(db)
  return rows.map(({ run_id: runId, expires_at: expiresAt, created: createdAt, ...row }) => ({
    ...row,
    runId,
    createdAt,
    expiresAt: expiresAt.toISOString(),
  }))
}

/** Number and size of the items of an agent, including expired items that are not yet removed. */
export async function readItemUsage(
  db: Reader<MemoryTables>,
  _proof: Proof,
  agentUid: string,
): Promise<{ readonly items: number; readonly bytes: number }> {
  const row = await db
    .selectFrom('memory_usage')
    .select(['items', 'bytes'])
    .where('owner', '=', agentOwner(agentUid))
    .executeTakeFirst()
  return { items: row?.items ?? 0, bytes: Number(row?.bytes ?? 0) }
}
