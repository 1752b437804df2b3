/** Size of the recording of a run. */
export interface RecordingRow {
  run_id: string
  namespace: string
  namespace_uid: string
  parts: number
  bytes: bigint
  created_at: Date
  updated_at: Date
  /** The run was removed: its recording is erased. */
  erase_at: Date | null
}

/** Bytes of the recordings of a namespace. */
export interface RecordingUsageRow {
  namespace_uid: string
  bytes: bigint
}

/** Tables of the plugin. */
export type RecordingTables = { recording_runs: RecordingRow; recording_usage: RecordingUsageRow }
