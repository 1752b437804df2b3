import type { ColumnType, Selectable } from 'kysely'
import type { ErasureState } from '#schemas/api/erasures.ts'

/** A request to erase a person. */
export interface RequestRow {
  id: string
  /** Null once it is finished: the list of erasures is no list of erased people. */
  subject: string | null
  /** Null for the whole cluster. */
  namespace: string | null
  namespace_uid: string | null
  state: ErasureState
  requested_by: string
  created_at: ColumnType<Date, never, never>
  finished_at: Date | null
  /** Numbers of erased items by eraser. */
  erased: ColumnType<Readonly<Record<string, number>>, string, string>
  /** Hash of the idempotency key with its account and route. */
  request_key: Buffer | null
  /** Hash of the request with that key. */
  request_hash: Buffer | null
}

/** Tables of the plugin. */
export type ErasuresTables = { erasures_requests: RequestRow }

/** A request as selected. */
export type SelectedRequest = Selectable<RequestRow>
