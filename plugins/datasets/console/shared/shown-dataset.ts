import type { Static } from 'typebox'
import type { Dataset, DatasetCase, DatasetLabel, DatasetPin } from '#schemas/api/datasets.ts'

/** A dataset as responses show it. */
export type ShownDataset = Static<typeof Dataset>
/** A case with its labels that count. */
export type ShownCase = Static<typeof DatasetCase>
/** A label of a case. */
export type CaseLabel = Static<typeof DatasetLabel>
/** A pin of a dataset. */
export type ShownPin = Static<typeof DatasetPin>

/** A dataset with its version, for a change of it. */
export interface ReadDataset extends ShownDataset {
  readonly tag: string | undefined
}

/** Namespace and name of a dataset. */
export type DatasetName = Pick<ShownDataset, 'namespace' | 'name'>

/** A page of a list below `/api/datasets`. */
export interface DatasetItems<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** The dialogs of a dataset. */
export type DatasetDialogName = 'edit' | 'pin' | 'import' | 'export' | 'remove'

/** The address of a dataset in the console. */
export function datasetAddress({ namespace, name }: DatasetName): string {
  return `/datasets/${[namespace, name].map(encodeURIComponent).join('/')}`
}

/** A value as one line, such as in a table. */
export function toPlainLine(value: unknown): string {
  if (value === undefined || value === null) return ''
  const words = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return words.slice(0, 400)
}

/** What a label says, without its name. */
export function toLabelWords({ dataType, value }: Pick<CaseLabel, 'dataType' | 'value'>): string {
  if (dataType === 'boolean') return value === true ? 'yes' : 'no'
  return toPlainLine(value)
}
