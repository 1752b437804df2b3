import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { DatasetsTables, SelectedDataset, SelectedPin } from '../contract/tables.ts'
import type { DatasetsTx } from './datasets.ts'

type Db = Reader<DatasetsTables>

/** A pin that is shown: it has a version. */
export type ListedPin = SelectedPin & { readonly version: number }

/** The digest of the live cases that are not archived, and their number. */
export async function digestLive(db: DatasetsTx, datasetId: string) {
  const { rows } = await sql<{ digest: string; cases: number }>`
    select 'sha256:' || encode(sha256(convert_to(
      '[' || coalesce(string_agg('"' || digest || '"', ',' order by digest collate "C"), '') || ']', 'UTF8')), 'hex') as digest,
      count(*)::integer as cases
    from datasets_cases where dataset_id = ${datasetId}::uuid and end_mark is null and not archived`.execute(db)
  return rows[0] ?? { digest: '', cases: 0 }
}

/** The pin or snapshot with a digest. */
export function findPinOfDigest(db: Db, datasetId: string, digest: string): Promise<SelectedPin | undefined> {
  return ofDataset(db, datasetId).where('digest', '=', digest).executeTakeFirst()
}

/** The pin with a version. */
export async function findPin(db: Db, datasetId: string, version: number): Promise<ListedPin | undefined> {
  const pin = await ofDataset(db, datasetId).where('version', '=', version).executeTakeFirst()
  return pin === undefined ? undefined : { ...pin, version }
}

/** The pins with these marks, by dataset. */
export async function readLatestPins(
  db: Db,
  datasets: readonly Pick<SelectedDataset, 'id' | 'latest_mark'>[],
): Promise<ReadonlyMap<string, ListedPin>> {
  const pinned = datasets.filter(({ latest_mark: mark }) => mark !== null)
  if (pinned.length === 0) return new Map()
  const { rows } = await sql<ListedPin>`
    select p.* from datasets_pins p join datasets_datasets d on d.id = p.dataset_id and d.latest_mark = p.mark
    where d.id = any(${pinned.map(({ id }) => id)}::uuid[]) and p.version is not null`.execute(db)
  return new Map(rows.map((pin) => [pin.dataset_id, pin]))
}

/** A page of the pins of a dataset, newest version first. */
export async function listPins(db: Db, datasetId: string, { limit, after }: RowPage): Promise<readonly ListedPin[]> {
  const below = after === undefined ? sql<boolean>`true` : sql<boolean>`version < ${Number(after[0])}::integer`
  const { rows } = await sql<ListedPin>`select * from datasets_pins
    where dataset_id = ${datasetId}::uuid and version is not null and ${below} order by version desc limit ${limit}`.execute(
    db,
  )
  return rows
}

function ofDataset(db: Db, datasetId: string) {
  return db.selectFrom('datasets_pins').selectAll().where('dataset_id', '=', datasetId)
}

/** Highest version of the pins of a dataset. */
export async function lastVersion(db: Db, datasetId: string): Promise<number> {
  const { rows } = await sql<{ version: number | null }>`
    select max(version) as version from datasets_pins where dataset_id = ${datasetId}::uuid`.execute(db)
  return rows[0]?.version ?? 0
}

/** Marks the live cases of a locked dataset, and stores the pin or snapshot. */
export async function insertPin(db: DatasetsTx, pin: SelectedPin): Promise<void> {
  await sql`update datasets_cases set first_mark = ${pin.mark}::integer
    where dataset_id = ${pin.dataset_id}::uuid and end_mark is null and not archived and first_mark is null`.execute(db)
  await db.insertInto('datasets_pins').values(pin).execute()
  await db.updateTable('datasets_datasets').set({ mark: pin.mark }).where('id', '=', pin.dataset_id).execute()
}

/** Number of pins and snapshots of a dataset. */
export async function countPins(db: Db, datasetId: string): Promise<number> {
  const { rows } = await sql<{ pins: number }>`
    select count(*)::integer as pins from datasets_pins where dataset_id = ${datasetId}::uuid`.execute(db)
  return rows[0]?.pins ?? 0
}

/** Keeps a snapshot from this time on: another evaluation reads it. */
export async function keepSnapshot(db: DatasetsTx, { dataset_id: id, mark }: SelectedPin, at: Date): Promise<void> {
  await db
    .updateTable('datasets_pins')
    .set({ created_at: at })
    .where('dataset_id', '=', id)
    .where('mark', '=', mark)
    .execute()
}

/** Makes a snapshot a pin. */
export async function listSnapshot(
  db: DatasetsTx,
  { dataset_id: datasetId, mark, version, note, created_by: by, created_at: at }: ListedPin,
): Promise<void> {
  await db
    .updateTable('datasets_pins')
    .set({ version, note, created_by: by, created_at: at })
    .where('dataset_id', '=', datasetId)
    .where('mark', '=', mark)
    .execute()
}

/** Makes a pin the latest one. */
export async function setLatest(db: DatasetsTx, { dataset_id: id, mark }: SelectedPin): Promise<void> {
  await db.updateTable('datasets_datasets').set({ latest_mark: mark }).where('id', '=', id).execute()
}
