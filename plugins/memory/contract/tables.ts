/** An item of long-term memory. */
export interface ItemRow {
  id: string
  /** A re-created agent of the same name has another uid. */
  agent_uid: string
  namespace: string
  /** The user to whom it belongs; null: every user of the agent. */
  subject: string | null
  text: string
  metadata: Record<string, unknown>
  /** Size of text and metadata in UTF-8. */
  bytes: number
  run_id: string | null
  created_at: Date
  expires_at: Date
  search: string
  embedding: number[] | null
  embedding_space: string | null
  /** SHA-256 of text and metadata; null in rows of earlier versions. */
  digest: Buffer | null
}

/** Items of an agent or a namespace. */
export interface MemoryUsageRow {
  /** `agent/<uid>` or `namespace/<name>`. */
  owner: string
  items: number
  bytes: bigint
}

/** A deleted agent whose conversations must be erased. */
export interface ErasureRow {
  agent_uid: string
  namespace: string
  requested_at: Date
  /** Time of the first erasure, after which pods may have written. */
  erased_at: Date | null
}

/** Conversations of an erased person that must be erased. */
export interface SubjectErasureRow {
  id: string
  /** Null: `conversation` is a prefix, for every agent of the namespace. */
  agent_uid: string | null
  /** Null: of every namespace. */
  namespace: string | null
  conversation: string
  requested_at: Date
  erased_at: Date | null
  /** Erased when no call of the erased runs could write. */
  final: boolean
}

/** Tables of the plugin. */
export type MemoryTables = {
  memory_erasures: ErasureRow
  memory_subject_erasures: SubjectErasureRow
  memory_items: ItemRow
  memory_usage: MemoryUsageRow
}
