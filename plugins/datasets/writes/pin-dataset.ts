import type { Tx } from '#core/event-store/store.ts'
import { datasetPinned } from '../contract/events.ts'
import type { WriteServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset, SelectedPin } from '../contract/tables.ts'
import {
  countPins,
  digestLive,
  findPinOfDigest,
  insertPin,
  keepSnapshot,
  lastVersion,
  listSnapshot,
  setLatest,
} from '../store/pins.ts'
import type { ListedPin } from '../store/pins.ts'
import { appendFact } from './append-event.ts'
import { quotaReached } from './refusals.ts'

/** Author and note of a pin. */
export interface PinReason {
  readonly by: string
  readonly note: string
}

/**
 * Pins the live cases of a locked dataset, and makes it the latest pin. Cases that were pinned before have the same pin, whatever was pinned in
 * between.
 */
export async function pinDataset(
  services: WriteServices,
  tx: Tx,
  dataset: SelectedDataset,
  { by, note }: PinReason,
): Promise<{ readonly pin: ListedPin; readonly created: boolean }> {
  const db = tx.tables<DatasetsTables>()
  const kept = await keepLive(services, tx, dataset, { by, note })
  const created = kept.version === null
  const version = kept.version ?? (await lastVersion(db, dataset.id)) + 1
  const pin: ListedPin = created
    ? { ...kept, version, note, created_by: by, created_at: services.now() }
    : { ...kept, version }
  if (created) await listSnapshot(db, pin)
  await setLatest(db, pin)
  if (created || dataset.latest_mark !== pin.mark) {
    const { digest, cases } = pin
    await appendFact(tx, dataset, { type: datasetPinned, data: { version, digest, cases }, by })
  }
  return { pin, created }
}

/** Keeps the live cases of a locked dataset as they are: the pin or snapshot with their digest, or a new snapshot. */
export async function keepLive(
  services: WriteServices,
  tx: Tx,
  dataset: SelectedDataset,
  { by, note }: PinReason,
): Promise<SelectedPin> {
  const db = tx.tables<DatasetsTables>()
  const { digest, cases } = await digestLive(db, dataset.id)
  const found = await findPinOfDigest(db, dataset.id, digest)
  if (found !== undefined) {
    if (found.version === null) await keepSnapshot(db, found, services.now())
    return found
  }
  const mark = dataset.mark + 1
  const { pinsPerDataset: most } = services.settings
  if ((await countPins(db, dataset.id)) >= most)
    throw quotaReached(`The dataset has ${most} pins and snapshots (setting datasets.pinsPerDataset).`)
  const pin = {
    dataset_id: dataset.id,
    mark,
    version: null,
    digest,
    cases,
    note,
    created_by: by,
    created_at: services.now(),
  }
  await insertPin(db, pin)
  return pin
}
