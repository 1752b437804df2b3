import type { Static } from 'typebox'
import type { ExportInput } from '#schemas/api/dataset-exports.ts'
import { asObject } from '#core/json/is-object.ts'

/** Input of the run of an export: what was asked for, and where the cases go. */
export interface ExportRequest extends Pick<Static<typeof ExportInput>, 'filter' | 'redaction'> {
  readonly dataset: string
  /** Dataset that gets the cases; null for a file. */
  readonly into: string | null
  readonly expected: 'output' | 'none'
}

/** Progress of an export, saved with each page. */
export interface ExportState {
  /** The last run that was read; undefined at the start. */
  readonly after?: { readonly id: string; readonly createdAt: string } | undefined
  /** Runs that were read. */
  readonly runs: number
  /** Cases that were read. */
  readonly staged: number
  /** Runs whose content is hidden by the trace policy of their agent. */
  readonly hidden: number
  /** Runs whose content is too large, or that were removed meanwhile. */
  readonly skipped: number
}

/** Output of the run of an export. */
export interface ExportOutput {
  /** Cases that were added to the dataset, or written to the file. */
  readonly cases: number
  readonly runs: number
  /** Cases that the dataset had already. */
  readonly unchanged: number
  readonly hidden: number
  readonly skipped: number
  readonly dataset: { readonly namespace: string; readonly name: string }
  /** Path of the file; null for cases of a dataset. */
  readonly file: string | null
}

const start: ExportState = { runs: 0, staged: 0, hidden: 0, skipped: 0 }

/** The state of a checkpoint, which this executor has saved. */
export function toExportState(checkpoint: unknown): ExportState {
  return { ...start, ...(asObject(checkpoint) as Partial<ExportState>) }
}
