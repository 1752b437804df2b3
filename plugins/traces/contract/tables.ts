import type { Selectable } from 'kysely'
import type { SpanKind } from '#core/telemetry/tracer.ts'

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

/** Contents of the spans of one run in one request. */
export interface SpanContentRow {
  id: string
  trace_id: string
  /** Run that the spans name; null for spans that name none. */
  run_id: string | null
  namespace: string
  namespace_uid: string
  agent_uid: string
  bytes: number
  /** JSON of attributes by span id. */
  content: string
  stored_at: Date
}

/** The part of a trace in one namespace. Times are nanoseconds since the epoch. */
export interface SummaryRow {
  trace_id: string
  namespace_uid: string
  namespace: string
  /** Agent, id, name, kind and service of the root: the earliest span, one without a parent before others. */
  agent_uid: string
  agent_name: string
  span_id: string
  name: string
  kind: SpanKind
  service: string | null
  has_parent: boolean
  root_nanos: bigint
  /** Status of the outer span that ended last, and its end; `unset` and 0 until there is one. */
  status: 'unset' | 'ok' | 'error'
  outcome_nanos: bigint
  started_at: Date
  started_nanos: bigint
  ended_nanos: bigint
  spans: number
  /** Spans with errors. */
  errors: number
}

/** Tables of the plugin. */
export type TracesTables = {
  traces_chunks: ChunkRow
  traces_totals: TotalRow
  traces_usage: TraceUsageRow
  traces_summaries: SummaryRow
  traces_contents: SpanContentRow
}

/** A chunk as selected. */
export type SelectedChunk = Selectable<ChunkRow>
