import type { Tx } from '#core/event-store/store.ts'
import { decideWrites } from '../cases/decide-writes.ts'
import type { PreparedCase } from '../cases/prepare-case.ts'
import type { WriteServices } from '../contract/services.ts'
import { caseArchived, casesStored } from '../contract/events.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'
import { applyWrites, archiveLive, countKnown, readLiveCases } from '../store/cases.ts'
import { addToDataset, lockDataset } from '../store/datasets.ts'
import type { DatasetKey } from '../store/datasets.ts'
import { addDatasetUsage } from '../store/usage.ts'
import { appendFact } from './append-event.ts'
import { quotaReached, unknownCase, unknownDataset } from './refusals.ts'

/** Cases in one statement. */
const BATCH = 200

/** Numbers of written cases. */
export interface WriteCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

/** Why cases are written, for the event. */
export interface WriteReason {
  readonly by: string
  readonly way: 'put' | 'import' | 'run' | 'export'
  readonly caseId?: string
  readonly runId?: string
  /** Cases with a known id stay as they are. */
  readonly keeps?: boolean
}

/** A dataset, and the transaction that has locked it. */
export interface LockedDataset {
  readonly tx: Tx
  readonly dataset: SelectedDataset
}

/** Batches of cases. Ids are distinct within all of them. */
export type CaseBatches = Iterable<readonly PreparedCase[]> | AsyncIterable<readonly PreparedCase[]>

/** Divides cases into batches. */
export function* inBatches(cases: readonly PreparedCase[]): Generator<readonly PreparedCase[]> {
  for (let at = 0; at < cases.length; at += BATCH) yield cases.slice(at, at + BATCH)
}

/** Writes cases into a locked dataset, with one event. Throws `dataset_quota_exceeded`, and then nothing may be committed. */
export async function writeCases(
  services: WriteServices,
  { tx, dataset }: LockedDataset,
  batches: CaseBatches,
  { by, way, caseId, runId, keeps }: WriteReason,
): Promise<WriteCounts> {
  const db = tx.tables<DatasetsTables>()
  const at = services.now()
  const total = { created: 0, updated: 0, unchanged: 0, cases: 0, bytes: 0 }
  for await (const batch of batches) {
    const ids = batch.map(({ id }) => id)
    const writes = decideWrites(batch, await readLiveCases(db, dataset.id, ids), keeps)
    for (const count of ['created', 'updated', 'unchanged', 'cases', 'bytes'] as const) total[count] += writes[count]
    refuseMany(services, dataset, total.cases)
    await applyWrites(db, dataset, writes, at)
  }
  const { created, updated, unchanged, cases, bytes } = total
  if (created + updated === 0) return { created, updated, unchanged }
  await countBytes(services, tx, dataset, bytes)
  await addToDataset(db, dataset.id, { cases }, at)
  const references = { ...(caseId === undefined ? {} : { caseId }), ...(runId === undefined ? {} : { runId }) }
  await appendFact(tx, dataset, { type: casesStored, data: { by: way, created, updated, ...references }, by })
  return { created, updated, unchanged }
}

/** Throws `dataset_quota_exceeded` before any case is written, if the locked dataset has no place for all of them. */
export async function refuseOverfull(
  services: WriteServices,
  { tx, dataset }: LockedDataset,
  cases: readonly PreparedCase[],
): Promise<void> {
  if (dataset.cases + cases.length <= services.settings.casesPerDataset) return
  const ids = cases.map(({ id }) => id)
  const known = await countKnown(tx.tables<DatasetsTables>(), dataset.id, ids)
  refuseMany(services, dataset, cases.length - known)
}

function refuseMany(
  { settings: { casesPerDataset: most } }: WriteServices,
  dataset: SelectedDataset,
  added: number,
): void {
  if (dataset.cases + added > most)
    throw quotaReached(`The dataset would have more than ${most} cases (setting datasets.casesPerDataset).`)
}

async function countBytes(services: WriteServices, tx: Tx, dataset: SelectedDataset, bytes: number): Promise<void> {
  const { bytesPerNamespace: most } = services.settings
  const limit = bytes > 0 ? { bytes: most } : {}
  if (!(await addDatasetUsage(tx, dataset.namespace_uid, { datasets: 0, bytes }, limit)))
    throw quotaReached(
      `The cases of namespace ${dataset.namespace} would exceed ${most} bytes (setting datasets.bytesPerNamespace).`,
    )
}

/** Archives a case. A repeat changes nothing. Throws `not_found`. */
export async function archiveCase(
  services: WriteServices,
  tx: Tx,
  key: DatasetKey & { readonly caseId: string },
  by: string,
): Promise<void> {
  const db = tx.tables<DatasetsTables>()
  const dataset = await lockDataset(db, key)
  if (dataset === undefined) throw unknownDataset()
  const [live] = await readLiveCases(db, dataset.id, [key.caseId])
  if (live === undefined) throw unknownCase()
  if (live.archived) return
  const at = services.now()
  await countBytes(services, tx, dataset, await archiveLive(db, live, dataset.mark, at))
  await addToDataset(db, dataset.id, { cases: -1 }, at)
  await appendFact(tx, dataset, { type: caseArchived, data: { caseId: key.caseId }, by })
}
