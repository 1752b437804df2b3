import type { ColumnType, Generated, Selectable } from 'kysely'

/** A dataset. Schemas are JSON texts. */
export interface DatasetRow {
  id: string
  namespace: string
  namespace_uid: string
  name: string
  description: string
  allowed_namespaces: ColumnType<readonly string[] | null, string | null, string | null>
  input_schema: string | null
  expected_schema: string | null
  /** Increases with each change of the fields above; the ETag. */
  version: number
  /** Cases that are not archived. */
  cases: number
  /** Labels that no other label has replaced. */
  labels: number
  /** Newest mark: pins and snapshots are numbered by marks. */
  mark: number
  latest_mark: number | null
  created_by: string
  created_at: Date
  updated_at: Date
}

/**
 * A content of a case. The live one has no `end_mark`. Pins and snapshots whose mark is at least `first_mark` and below `end_mark` have this content; it
 * never changes once it has a `first_mark`.
 */
export interface CaseRow {
  rev: Generated<bigint>
  /** Place in lists: that of the first content of the case. */
  position: bigint
  dataset_id: string
  id: string
  first_mark: number | null
  end_mark: number | null
  digest: string
  input_digest: string
  /** JSON texts in canonical form. */
  input: string
  expected: string | null
  metadata: string
  tags: string[]
  run_id: string | null
  trace_id: string | null
  archived: boolean
  bytes: number
  created_at: Date
  updated_at: Date
}

/** A pin, or a snapshot of live cases for an evaluation: it has no version, and `created_at` is the time at which it was last taken. */
export interface PinRow {
  dataset_id: string
  mark: number
  version: number | null
  digest: string
  cases: number
  note: string
  created_by: string
  created_at: Date
}

/** A label. Labels are appended only; the newest of a case, name and annotator counts. */
export interface DatasetLabelRow {
  id: string
  dataset_id: string
  case_id: string
  name: string
  data_type: string
  /** JSON text. */
  value: string
  comment: string | null
  source: string
  annotator: string
  supersedes: string | null
  created_at: Date
  request_key: Buffer | null
  request_hash: Buffer | null
}

/** An export and the access with which its run reads other runs. */
export interface ExportRow {
  run_id: string
  namespace: string
  namespace_uid: string
  /** Dataset of the path. */
  dataset: string
  /** Dataset that gets the cases; null for a file. */
  into_dataset: string | null
  sealed_access: string
  created_by: string
  created_at: Date
  finished_at: Date | null
  /** Output of its run as JSON, stored with the cases. */
  output: string | null
}

/** A case that an export has read: visible in no dataset, and part of a file once the export has finished. */
export interface StagedRow {
  run_id: string
  n: number
  id: string
  digest: string
  input_digest: string
  input: string
  expected: string | null
  metadata: string
  tags: string[]
  source_run_id: string | null
  trace_id: string | null
  bytes: number
}

/** Datasets and bytes of a namespace. */
export interface DatasetUsageRow {
  namespace_uid: string
  datasets: bigint
  bytes: bigint
}

/** Tables of the plugin. */
export type DatasetsTables = {
  datasets_datasets: DatasetRow
  datasets_cases: CaseRow
  datasets_pins: PinRow
  datasets_labels: DatasetLabelRow
  datasets_exports: ExportRow
  datasets_staged: StagedRow
  datasets_usage: DatasetUsageRow
}

/** A dataset as selected. */
export type SelectedDataset = Selectable<DatasetRow>
/** A content of a case as selected. */
export type SelectedCase = Selectable<CaseRow>
/** A pin as selected. */
export type SelectedPin = Selectable<PinRow>
/** A label as selected. */
export type SelectedLabel = Selectable<DatasetLabelRow>
