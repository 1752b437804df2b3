import { isDeepStrictEqual } from 'node:util'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import { datasetCreated, datasetDeleted, datasetUpdated } from '../contract/events.ts'
import type { WriteServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'
import { addDatasetUsage } from '../store/usage.ts'
import { deleteDatasets, insertDataset, lockDataset, updateDataset } from '../store/datasets.ts'
import type { DatasetFields, DatasetKey } from '../store/datasets.ts'
import { appendFact } from './append-event.ts'
import { quotaReached, refuseField, unknownDataset } from './refusals.ts'

/** A literal path below `/datasets`: no dataset has this name. */
const RESERVED = new Set(['pins'])

/** Fields of a dataset without any. */
export const noFields: DatasetFields = {
  description: '',
  allowedNamespaces: null,
  inputSchema: null,
  expectedSchema: null,
}

/** Where a dataset is or will be, and who changes it. */
export interface DatasetPlace extends DatasetKey {
  readonly namespaceUid: string
  readonly by: string
}

/** Refuses names of datasets that are reserved or too long; `pointer` is where the name was given. */
export function checkDatasetName(name: string, pointer = ':name'): void {
  const detail = RESERVED.has(name)
    ? 'is a reserved name'
    : name.length > 63 || name.includes('.')
      ? 'must be a DNS label of at most 63 characters'
      : undefined
  if (detail === undefined) return
  if (pointer.startsWith('/')) throw refuseField(pointer, detail)
  throw new Fail('malformed_request', `The name of the dataset ${detail}.`, { errors: [{ pointer, detail }] })
}

/** Locks the dataset of a place, or creates one with these fields. */
export async function openDataset(
  services: WriteServices,
  tx: Tx,
  place: DatasetPlace,
  fields: DatasetFields = noFields,
): Promise<{ readonly dataset: SelectedDataset; readonly created: boolean }> {
  const db = tx.tables<DatasetsTables>()
  const found = await lockDataset(db, place)
  if (found !== undefined) return { dataset: found, created: false }
  const { namespaceUid, by, ...key } = place
  const made = await insertDataset(db, {
    ...key,
    ...fields,
    namespaceUid,
    createdBy: by,
    id: uuidV7(),
    at: services.now(),
  })
  if (made === 'deleted') throw new Fail('not_found', `There is no namespace ${place.namespace}.`)
  // Another transaction has created it meanwhile: its commit was awaited.
  if (made === undefined) return { dataset: (await lockDataset(db, place)) ?? missing(), created: false }
  const { datasetsPerNamespace: most } = services.settings
  if (!(await addDatasetUsage(tx, made.namespace_uid, { datasets: 1, bytes: 0 }, { datasets: most })))
    throw quotaReached(`Namespace ${place.namespace} has ${most} datasets (setting datasets.datasetsPerNamespace).`)
  await appendFact(tx, made, { type: datasetCreated, data: {}, by })
  return { dataset: made, created: true }
}

function missing(): never {
  throw unknownDataset()
}

/** Creates a dataset or replaces its fields. `expect` compares its version, 0 of a new one, and throws. */
export async function putDataset(
  services: WriteServices,
  tx: Tx,
  place: DatasetPlace,
  { fields, expect }: { readonly fields: DatasetFields; readonly expect: (version: number) => void },
): Promise<{ readonly dataset: SelectedDataset; readonly created: boolean }> {
  const opened = await openDataset(services, tx, place, fields)
  const { dataset } = opened
  if (opened.created) {
    expect(0)
    return opened
  }
  expect(dataset.version)
  const changed = changedFields(dataset, fields)
  if (changed.length === 0) return opened
  const updated = await updateDataset(tx.tables<DatasetsTables>(), dataset, fields, services.now())
  await appendFact(tx, updated, { type: datasetUpdated, data: { fields: changed }, by: place.by })
  return { dataset: updated, created: false }
}

/** The fields that users set, as stored. */
export function fieldsOf(dataset: SelectedDataset): DatasetFields {
  const json = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
  return {
    description: dataset.description,
    allowedNamespaces: dataset.allowed_namespaces,
    inputSchema: json(dataset.input_schema),
    expectedSchema: json(dataset.expected_schema),
  }
}

function changedFields(dataset: SelectedDataset, fields: DatasetFields): string[] {
  const before = fieldsOf(dataset)
  const names = ['description', 'allowedNamespaces', 'inputSchema', 'expectedSchema'] as const
  return names.filter((name) => !isDeepStrictEqual(before[name], JSON.parse(JSON.stringify(fields[name]))))
}

/** Deletes a dataset. Throws `not_found`, or what `expect` throws. */
export async function deleteDataset(
  tx: Tx,
  key: DatasetKey,
  { by, expect }: { readonly by: string; readonly expect: (version: number) => void },
): Promise<void> {
  const db = tx.tables<DatasetsTables>()
  const dataset = (await lockDataset(db, key)) ?? missing()
  expect(dataset.version)
  await deleteDatasets(db, [dataset.id])
  await appendFact(tx, dataset, { type: datasetDeleted, data: { cases: dataset.cases }, by })
}
