import type { ColumnType, Selectable } from 'kysely'
import type { ScoreValue } from '#schemas/launcher/feedback.ts'

/** A score. `comment` is content: it is in no event, log or trace. */
export interface ScoreRow {
  id: string
  namespace: string
  namespace_uid: string
  run_id: string
  trace_id: string
  agent_name: string | null
  name: string
  value: ColumnType<ScoreValue, string, string>
  comment: string | null
  source: 'agent' | 'person'
  created_by: string
  created_at: Date
  /** The run is a case of an evaluation. */
  of_evaluation: boolean
  /** Hash of the idempotency key with its account. */
  request_key: Buffer | null
  /** Hash of the request with that key. */
  request_hash: Buffer | null
}

/** Number of scores of a namespace. */
export interface UsageRow {
  namespace_uid: string
  scores: bigint
}

/** Tables of the plugin. */
export type FeedbackTables = { feedback_scores: ScoreRow; feedback_usage: UsageRow }

/** A score as selected. */
export type SelectedScore = Selectable<ScoreRow>
