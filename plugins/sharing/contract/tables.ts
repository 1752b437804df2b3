import type { Generated, Selectable } from 'kysely'
import type { ContentReason } from '#schemas/api/sharing.ts'

/** A share. Its token is stored as SHA-256 only (S1). */
export interface ShareRow {
  id: string
  token_hash: Buffer
  namespace: string
  namespace_uid: string
  run_id: string
  agent_name: string | null
  created_by: string
  created_at: Date
  expires_at: Date
  max_views: number | null
  views: Generated<number>
  content: 'full' | 'none'
  content_reason: ContentReason | null
  /** Bytes of its snapshot. */
  bytes: bigint
  /** Hash of the idempotency key with its account and route. */
  request_key: Buffer | null
  /** Hash of the request with that key. */
  request_hash: Buffer | null
}

/** The snapshot of a share, as immutable JSON: `events` is a list, `head` an object with everything else. */
export interface SnapshotRow {
  share_id: string
  head: string
  events: string
}

/** Shares of a namespace. */
export interface ShareUsageRow {
  namespace_uid: string
  shares: bigint
  bytes: bigint
}

/** Tables of the plugin, and the core table that its reads join. */
export type SharingTables = {
  sharing_shares: ShareRow
  sharing_snapshots: SnapshotRow
  sharing_usage: ShareUsageRow
  object_index: { uid: string; kind: string; namespace: string; name: string; deleted_at: Date | null }
}

/** A share as selected. */
export type SelectedShare = Selectable<ShareRow>
