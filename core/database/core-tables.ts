import type { Generated, JSONColumnType } from 'kysely'

/** Tables of the store, with the types of reads and writes. */
export interface CoreTables {
  events: EventsTable
  event_ranges: { range: number; created_at: Generated<Date> }
  event_keys: { event_id: string; position: bigint | null }
  event_epoch: { epoch: number }
  streams: { stream: string; version: number; last_position: bigint | null }
  inbox: { consumer: string; event_id: string; position: bigint }
  cursor: { name: string; stream: string; position: bigint; version: Generated<number> }
  dead_letter: DeadLetterTable
  /** `rebuild` identifies the latest rebuild that was started; an earlier one that still runs stops. */
  projection_versions: { name: string; version: number; rebuild: Generated<string | null> }
  leader: { name: string; holder: string; epoch: bigint; expires_at: Date }
  job_ticks: { name: string; tick: Date }
}

/** The event log, partitioned by ranges of `position`. */
export interface EventsTable {
  position: bigint
  id: string
  stream: string
  version: number
  type: string
  time: Date
  namespace: string | null
  kind: string
  name: string
  namespace_uid: string | null
  uid: string | null
  actor_name: string | null
  actor_kind: string | null
  data: JSONColumnType<object, string, string>
  correlation_id: string | null
  causation_id: string | null
  traceparent: string | null
  tenant: string | null
}

/** Failed deliveries of a consumer. Retried until `dead_at` is set, then only after a redrive. */
export interface DeadLetterTable {
  consumer: string
  event_id: string
  position: bigint
  attempts: number
  error: string
  dead_at: Date | null
  redrive: Generated<boolean>
}
