import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#core/event-store/store.ts'
import type { IngestRow, IngestState, KnowledgeTables } from '../contract/tables.ts'

/** A stored ingest. */
export type Ingest = Selectable<IngestRow>

/** An ingest to queue. */
export interface NewIngest {
  readonly id: string
  readonly documentId: string
  readonly title: string | null
  readonly contentType: string | null
  readonly url: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly content: Buffer | null
}

/** Bytes of a namespace that wait for their ingest. */
export async function waitingBytes(tx: Tx, namespaceUid: string): Promise<number> {
  const { rows } = await sql<{ bytes: string | number }>`
    select coalesce(sum(bytes), 0) as bytes from knowledge_ingests
    where namespace_uid = ${namespaceUid} and state in ('queued', 'running')`.execute(tx.tables())
  return Number(rows[0]?.bytes ?? 0)
}

/** Inserts ingests in order. */
export async function insertIngests(
  tx: Tx,
  base: { readonly uid: string; readonly namespaceUid: string; readonly actor: string },
  ingests: readonly NewIngest[],
): Promise<void> {
  // One statement per ingest: their order decides which of two ingests of one document is newer.
  for (const { id, documentId, title, contentType, url, attributes, content } of ingests)
    await tx
      .tables<KnowledgeTables>()
      .insertInto('knowledge_ingests')
      .values({
        id,
        base_uid: base.uid,
        namespace_uid: base.namespaceUid,
        document_id: documentId,
        title,
        content_type: contentType,
        url,
        attributes: JSON.stringify(attributes),
        actor: base.actor,
        content,
        bytes: content?.length ?? 0,
        error: null,
        finished_at: null,
      })
      .execute()
}

/** Reads an open ingest with its content, and marks it as running. Undefined if it has ended or its knowledge base was deleted. */
export async function beginIngest(tx: Tx, id: string): Promise<Ingest | undefined> {
  return tx
    .tables<KnowledgeTables>()
    .updateTable('knowledge_ingests')
    .set({ state: 'running' })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Ends an ingest and removes its content. */
export async function endIngest(tx: Tx, id: string, state: IngestState, error: string | null = null): Promise<void> {
  await tx
    .tables<KnowledgeTables>()
    .updateTable('knowledge_ingests')
    .set({ state, error, content: null, bytes: 0, finished_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
}

/** Ends ingests of a document that have not begun. */
export async function supersedeIngests(tx: Tx, baseUid: string, documentId: string): Promise<void> {
  await sql`update knowledge_ingests set state = 'superseded', content = null, bytes = 0, finished_at = clock_timestamp()
    where base_uid = ${baseUid} and document_id = ${documentId} and state = 'queued'`.execute(tx.tables())
}

/** Ingest of a knowledge base by its id, without the content. */
export async function findIngest(db: Reader<KnowledgeTables>, baseUid: string, id: string) {
  return db
    .selectFrom('knowledge_ingests')
    .select(['id', 'document_id', 'state', 'error', 'url', 'created_at', 'finished_at'])
    .where('base_uid', '=', baseUid)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Removes finished ingests after their retention. Returns their number. */
export async function removeFinished(tx: Tx, days: number, limit: number): Promise<number> {
  const { rows } = await sql`delete from knowledge_ingests where id in (
    select id from knowledge_ingests where finished_at < clock_timestamp() - make_interval(days => ${days})
    limit ${limit}) returning 1`.execute(tx.tables())
  return rows.length
}

/** A document of a source, or an ingest of a source that has not succeeded. */
export interface KnownSource {
  readonly id: string
  readonly url: string | null
  readonly stored: boolean
}

/** Documents of sources, and their open and failed ingests. */
export async function findSources(tx: Tx, baseUid: string): Promise<readonly KnownSource[]> {
  const { rows } = await sql<KnownSource>`
    select id, url, true as stored from knowledge_documents where base_uid = ${baseUid} and id like 'source/%'
    union all select document_id, url, false from knowledge_ingests where base_uid = ${baseUid}
      and document_id like 'source/%' and state in ('queued', 'running', 'failed')`.execute(tx.tables())
  return rows
}
