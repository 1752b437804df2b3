import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { CaseWrites, InsertedCase, LiveCase } from '../cases/decide-writes.ts'
import type { DatasetsTables, SelectedCase } from '../contract/tables.ts'
import type { DatasetsTx } from './datasets.ts'

type Db = Reader<DatasetsTables>

/** Bytes of contents in one page: more are on the next one. */
const PAGE_BYTES = 4 * 1024 * 1024

/** A row of a page. Beyond the bytes of a page its content is not read, and `fits` is false. */
export interface PagedCase extends SelectedCase {
  readonly fits: boolean
}

/** Cases of a list: live ones by position, or those of a mark by id. */
export interface CaseSelection {
  readonly datasetId: string
  readonly mark?: number | undefined
  readonly archived?: boolean | undefined
  readonly tag?: string | undefined
  /** Cases without a label of this name by this annotator. */
  readonly unlabelled?: { readonly name: string; readonly annotator: string } | undefined
}

/** Reads a page of cases. */
export async function listCases(db: Db, selection: CaseSelection, page: RowPage): Promise<readonly PagedCase[]> {
  const key = selection.mark === undefined ? sql.ref('position') : sql.ref('id')
  const [after] = page.after ?? []
  const where = [...conditionsOf(selection), ...(after === undefined ? [] : [sql<boolean>`${key} > ${after}`])]
  const inside = (column: string) =>
    sql`case when total - bytes < ${PAGE_BYTES} then ${sql.ref(column)} end as ${sql.ref(column)}`
  const columns = sql.join(['input', 'expected', 'metadata'].map(inside))
  const { rows } = await sql<PagedCase>`
    select rev, position, dataset_id, id, first_mark, end_mark, digest, input_digest, tags, run_id, trace_id, archived, bytes,
      created_at, updated_at, ${columns}, total - bytes < ${PAGE_BYTES} as fits
    from (select page.*, sum(bytes) over (order by ${key}) as total from (
      select * from datasets_cases where ${sql.join(where, sql` and `)} order by ${key} limit ${page.limit}) page) summed
    order by ${key}`.execute(db)
  return rows
}

/** Number of rows of a page that were read with their content; the first one always is. */
export function fittingCases(rows: readonly PagedCase[]): number {
  return rows.filter(({ fits }) => fits).length
}

function conditionsOf({ datasetId, mark, archived = false, tag, unlabelled }: CaseSelection): RawBuilder<boolean>[] {
  const live = [sql<boolean>`end_mark is null`, sql<boolean>`archived = ${archived}`]
  return [
    sql<boolean>`dataset_id = ${datasetId}::uuid`,
    ...(mark === undefined ? live : [isIn(mark)]),
    ...(tag === undefined ? [] : [sql<boolean>`tags @> array[${tag}]::text[]`]),
    ...(unlabelled === undefined
      ? []
      : [
          sql<boolean>`not exists (select from datasets_labels l where l.dataset_id = datasets_cases.dataset_id
            and l.case_id = datasets_cases.id and l.name = ${unlabelled.name} and l.annotator = ${unlabelled.annotator})`,
        ]),
  ]
}

function isIn(mark: number): RawBuilder<boolean> {
  return sql<boolean>`first_mark <= ${mark}::integer and (end_mark is null or end_mark > ${mark}::integer)`
}

/** The live content of a case. */
export function findCase(db: Db, datasetId: string, id: string): Promise<SelectedCase | undefined> {
  return db
    .selectFrom('datasets_cases')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('id', '=', id)
    .where('end_mark', 'is', null)
    .executeTakeFirst()
}

/** What is live of these cases, without contents. */
export async function readLiveCases(db: DatasetsTx, datasetId: string, ids: readonly string[]): Promise<LiveCase[]> {
  const { rows } = await selectLiveCases(datasetId, ids).execute(db)
  return rows
}

/**
 * The query of `readLiveCases`: a search of an index by each id. With `id = any(...)`, planners estimate that a dataset that grew after the
 * last statistics has one case, and then each batch of an import reads the whole dataset. No partial index has the condition on `end_mark`.
 */
export function selectLiveCases(datasetId: string, ids: readonly string[]): RawBuilder<LiveCase> {
  return sql<LiveCase>`
    select live.* from unnest(${[...ids]}::text[]) as given(id) cross join lateral (
      select rev, id, position, digest, first_mark, archived, bytes, created_at, run_id, trace_id from datasets_cases
      where dataset_id = ${datasetId}::uuid and id = given.id and coalesce(end_mark, 0) = 0 limit 1) live`
}

/** How many of these ids are of cases that are not archived. */
export async function countKnown(db: DatasetsTx, datasetId: string, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ known: number }>`select count(*)::int as known from datasets_cases
    where dataset_id = ${datasetId}::uuid and id = any(${[...ids]}::text[]) and end_mark is null and not archived`.execute(
    db,
  )
  return rows[0]?.known ?? 0
}

/** Stores decided writes of a locked dataset. */
export async function applyWrites(
  db: DatasetsTx,
  { id: datasetId, mark }: { readonly id: string; readonly mark: number },
  { ended, replaced, inserted }: CaseWrites,
  at: Date,
): Promise<void> {
  if (ended.length > 0)
    await db
      .updateTable('datasets_cases')
      .set({ end_mark: mark + 1 })
      .where('rev', 'in', [...ended])
      .execute()
  if (replaced.length > 0)
    await db
      .deleteFrom('datasets_cases')
      .where('rev', 'in', [...replaced])
      .execute()
  if (inserted.length === 0) return
  const values = inserted.map((one) => toRow(datasetId, one, at))
  await db.insertInto('datasets_cases').values(values).execute()
}

function toRow(datasetId: string, { made, before }: InsertedCase, at: Date) {
  return {
    position: before?.position ?? sql<bigint>`nextval('datasets_positions')`,
    dataset_id: datasetId,
    id: made.id,
    first_mark: null,
    end_mark: null,
    digest: made.digest,
    input_digest: made.inputDigest,
    input: made.input,
    expected: made.expected,
    metadata: made.metadata,
    tags: [...made.tags],
    run_id: made.runId ?? before?.run_id ?? null,
    trace_id: made.traceId ?? before?.trace_id ?? null,
    archived: false,
    bytes: made.bytes,
    created_at: before?.created_at ?? at,
    updated_at: at,
  }
}

/** Archives the live content of a case. Returns the bytes that this adds: a pinned content stays beside the archived one. */
export async function archiveLive(db: DatasetsTx, live: LiveCase, mark: number, at: Date): Promise<number> {
  if (live.first_mark === null) {
    await db.updateTable('datasets_cases').set({ archived: true, updated_at: at }).where('rev', '=', live.rev).execute()
    return 0
  }
  await db
    .updateTable('datasets_cases')
    .set({ end_mark: mark + 1 })
    .where('rev', '=', live.rev)
    .execute()
  await sql`insert into datasets_cases (position, dataset_id, id, digest, input_digest, input, expected, metadata, tags, run_id,
      trace_id, archived, bytes, created_at, updated_at)
    select position, dataset_id, id, digest, input_digest, input, expected, metadata, tags, run_id, trace_id, true, bytes,
      created_at, ${at} from datasets_cases where rev = ${live.rev}`.execute(db)
  return live.bytes
}
