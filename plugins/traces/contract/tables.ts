import type { Selectable } from 'kysely'

/** Spans of one trace that one request stored. */
export interface ChunkRow {
  id: string
  trace_id: string
  namespace: string
  namespace_uid: string
  /** A re-created agent of the same name has another uid. */
  agent_uid: string
  agent_name: string
  spans: number
  /** Size of `content` in UTF-8. */
  bytes: number
  /** JSON list of `StoredSpan`. */
  content: string
  stored_at: Date
}

/** Number and size of an agent's stored spans in a trace. */
export interface TotalRow {
  trace_id: string
  agent_uid: string
  spans: number
}

/** Bytes of the spans of a namespace. */
export interface TraceUsageRow {
  namespace_uid: string
  bytes: bigint
}

/** Tables of the plugin. */
export type TracesTables = { traces_chunks: ChunkRow; traces_totals: TotalRow; traces_usage: TraceUsageRow }

/** A chunk as selected. */
export type SelectedChunk = Selectable<ChunkRow>
