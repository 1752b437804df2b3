import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { Chunk } from '../documents/chunk-text.ts'
import type { Base } from './bases.ts'
import type { KnowledgeTables } from '../contract/tables.ts'

/** A document to store. */
export interface NewDocument {
  readonly id: string
  readonly ingestOrder: bigint
  readonly title: string
  readonly contentType: string
  readonly url: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly pages: readonly number[]
  readonly chunks: readonly Chunk[]
}

// Rows per statement: parameters stay small, and an embedded store is not blocked for long.
const AT_ONCE = 200

/** Settings that determine the chunks of a document: if they change, it is chunked again. */
export function layoutOf(base: Pick<Base, 'chunk_size' | 'chunk_overlap' | 'language'>): string {
  return `${base.chunk_size}/${base.chunk_overlap}/${base.language}`
}

/** Chunks of a stored document, or undefined; `later` if a later ingest has stored it. */
export async function findStored(
  tx: Tx,
  { uid }: Pick<Base, 'uid'>,
  { id, ingestOrder }: Pick<NewDocument, 'id' | 'ingestOrder'>,
): Promise<{ readonly chunks: number; readonly later: boolean } | undefined> {
  const row = await tx
    .tables<KnowledgeTables>()
    .selectFrom('knowledge_documents')
    .select(['chunks', 'ingest_order'])
    .where('base_uid', '=', uid)
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : { chunks: row.chunks, later: row.ingest_order > ingestOrder }
}

/** Adds a document or replaces the one with the same id, and updates its chunks and the counts of the locked base. */
export async function storeDocument(tx: Tx, base: Base, document: NewDocument): Promise<void> {
  await removeChunks(tx, base, document.id)
  const values = {
    ingest_order: document.ingestOrder,
    title: document.title,
    content_type: document.contentType,
    url: document.url,
    attributes: JSON.stringify(document.attributes),
    digest: createHash('sha256').update(document.text).digest('hex'),
    text: document.text,
    pages: [...document.pages],
    chunk_layout: layoutOf(base),
    chunks: document.chunks.length,
  }
  const { inserted } = await tx
    .tables<KnowledgeTables>()
    .insertInto('knowledge_documents')
    .values({ base_uid: base.uid, id: document.id, ...values })
    .onConflict((conflict) =>
      conflict.columns(['base_uid', 'id']).doUpdateSet({ ...values, updated_at: sql`clock_timestamp()` }),
    )
    .returning(sql<boolean>`xmax = 0`.as('inserted'))
    .executeTakeFirstOrThrow()
  await insertChunks(tx, base, document)
  await addCounts(tx, base.uid, { documents: inserted ? 1 : 0, chunks: document.chunks.length, embedded: 0 })
}

/** Removes a document of the locked base. Returns false for an unknown document. */
export async function deleteDocument(tx: Tx, base: Base, id: string): Promise<boolean> {
  await removeChunks(tx, base, id)
  const { numDeletedRows } = await tx
    .tables<KnowledgeTables>()
    .deleteFrom('knowledge_documents')
    .where('base_uid', '=', base.uid)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await addCounts(tx, base.uid, { documents: -1, chunks: 0, embedded: 0 })
  return true
}

async function removeChunks(tx: Tx, base: Base, id: string): Promise<void> {
  const { rows } = await sql<{ chunks: number; embedded: number }>`
    with removed as (
      delete from knowledge_chunks where base_uid = ${base.uid} and document_id = ${id} returning embedding_space)
    select count(*)::integer as chunks,
      (count(*) filter (where embedding_space = ${base.space}))::integer as embedded from removed`.execute(tx.tables())
  const [removed] = rows
  if (removed === undefined || removed.chunks === 0) return
  await addCounts(tx, base.uid, { documents: 0, chunks: -removed.chunks, embedded: -removed.embedded })
}

async function insertChunks(tx: Tx, base: Base, { id, title, chunks }: NewDocument): Promise<void> {
  for (let from = 0; from < chunks.length; from += AT_ONCE) {
    const rows = chunks.slice(from, from + AT_ONCE).map(({ text, start, end, page }, index) => {
      // The title is searched with each chunk: a chunk seldom repeats the topic of its document.
      const searched = sql`setweight(to_tsvector(${base.language}::regconfig, ${title}), 'B') || to_tsvector(${base.language}::regconfig, ${text})`
      return sql`(${base.uid}, ${id}, ${from + index}, ${start}, ${end}, ${page}::integer, ${text}, ${searched})`
    })
    await sql`insert into knowledge_chunks (base_uid, document_id, n, start_offset, end_offset, page, text, search)
      values ${sql.join(rows)}`.execute(tx.tables())
  }
}

interface Counts {
  readonly documents: number
  readonly chunks: number
  readonly embedded: number
}

async function addCounts(tx: Tx, uid: string, { documents, chunks, embedded }: Counts): Promise<void> {
  await sql`update knowledge_bases set documents = documents + ${documents}, chunks = chunks + ${chunks},
    embedded = embedded + ${embedded} where uid = ${uid}`.execute(tx.tables())
}
