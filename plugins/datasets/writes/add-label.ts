import type { Static } from 'typebox'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import { insertKeyed } from '#core/http/store/keyed-row.ts'
import { findProblems } from '#core/json-schema/find-problems.ts'
import type { LabelInput } from '#schemas/api/datasets.ts'
import { findInfinite } from '../cases/prepare-case.ts'
import { datasetErrors } from '../contract/errors.ts'
import { labelAdded } from '../contract/events.ts'
import type { WriteServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset, SelectedLabel } from '../contract/tables.ts'
import { readLiveCases } from '../store/cases.ts'
import { addToDataset } from '../store/datasets.ts'
import { countLabels, newestLabel } from '../store/labels.ts'
import type { ShownLabel } from '../store/labels.ts'
import { appendFact } from './append-event.ts'
import { quotaReached, refuseField, unknownCase } from './refusals.ts'

/** A label to add. Its annotator is the caller: no one labels in the name of another. */
export interface NewLabel {
  readonly caseId: string
  readonly label: Static<typeof LabelInput>
  readonly annotator: string
  readonly idempotency: Idempotency | undefined
}

const MAX_CATEGORY = 128
const MAX_TEXT = 10_000

/** Adds a label to a case of a locked dataset. It replaces the newest one of the same case, name and annotator. */
export async function addLabel(
  services: WriteServices,
  tx: Tx,
  dataset: SelectedDataset,
  { caseId, label, annotator, idempotency }: NewLabel,
): Promise<ShownLabel> {
  const db = tx.tables<DatasetsTables>()
  checkValue(dataset, label, services.settings.caseBytes)
  const [live] = await readLiveCases(db, dataset.id, [caseId])
  if (live === undefined) throw unknownCase()
  if (live.archived)
    throw new Fail(datasetErrors.case_archived, 'An archived case takes no label; put the case to restore it.')
  const key = { dataset_id: dataset.id, case_id: caseId, name: label.name, annotator }
  const newest = await newestLabel(db, key)
  const values = {
    id: uuidV7(),
    ...key,
    data_type: label.dataType,
    value: JSON.stringify(label.value),
    comment: label.comment ?? null,
    source: label.source ?? 'human',
    supersedes: newest ?? null,
    created_at: services.now(),
  }
  const made = await insertKeyed<SelectedLabel>(tx.tables(), { table: 'datasets_labels', values, idempotency })
  // Only another label with its id, or one that replaces the same label, has the same value: the dataset is locked.
  if (made === undefined) throw new Fail(datasetErrors.label_superseded)
  if (made.repeated) return { ...made.row, current: made.row.id === newest }
  await settle(services, tx, dataset, { row: made.row, wanted: label.supersedes })
  return { ...made.row, current: true }
}

async function settle(
  services: WriteServices,
  tx: Tx,
  dataset: SelectedDataset,
  { row, wanted }: { readonly row: SelectedLabel; readonly wanted: string | undefined },
): Promise<void> {
  const { id: labelId, case_id: caseId, name, source, annotator, supersedes } = row
  if (wanted !== undefined && wanted !== supersedes)
    throw new Fail(
      datasetErrors.label_superseded,
      supersedes === null
        ? 'The caller has no label of that name on the case.'
        : `The newest label of that name by the caller is ${supersedes}.`,
    )
  const db = tx.tables<DatasetsTables>()
  const { labelsPerCase: most } = services.settings
  if ((await countLabels(db, dataset.id, caseId)) > most)
    throw quotaReached(`The case has ${most} labels (setting datasets.labelsPerCase).`)
  await addToDataset(db, dataset.id, { labels: supersedes === null ? 1 : 0 }, services.now())
  await appendFact(tx, dataset, { type: labelAdded, data: { labelId, caseId, name, source }, by: annotator })
}

function checkValue(dataset: SelectedDataset, { dataType, value }: NewLabel['label'], caseBytes: number): void {
  const detail = problemOf(dataType, value)
  if (detail !== undefined) throw refuseField('/value', detail)
  if (dataType !== 'correction') return
  if (Buffer.byteLength(JSON.stringify(value)) > caseBytes)
    throw refuseField('/value', `must have at most ${caseBytes} bytes`)
  if (dataset.expected_schema === null) return
  const [first] = findProblems({ value, schema: JSON.parse(dataset.expected_schema), pointer: '/value' })
  if (first !== undefined) throw refuseField(first.pointer, first.detail)
}

function problemOf(dataType: NewLabel['label']['dataType'], value: unknown): string | undefined {
  if (value === undefined) return 'is required'
  if (findInfinite(value) !== undefined) return 'is a number out of range'
  switch (dataType) {
    case 'numeric':
      return typeof value === 'number' ? undefined : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'categorical':
      return isText(value, MAX_CATEGORY) ? undefined : `must be a string of 1 to ${MAX_CATEGORY} characters`
    case 'text':
      return isText(value, MAX_TEXT) ? undefined : `must be a string of 1 to ${MAX_TEXT} characters`
    case 'correction':
      return undefined
  }
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= most
}
