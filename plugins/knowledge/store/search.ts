import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import { searchHybrid } from '#core/retrieval/hybrid-search.ts'
import type { QueryVector } from '#core/retrieval/hybrid-search.ts'
import type { KnowledgeTables } from '../contract/tables.ts'

/** Knowledge bases of one language, searched together. */
export interface ChunkQuery {
  readonly uids: readonly string[]
  readonly language: string
  readonly query: string
  readonly vector: QueryVector | undefined
  readonly limit: number
}

/** A found chunk with the fields of a citation. */
export interface FoundChunk {
  readonly score: number
  readonly baseUid: string
  readonly document: string
  readonly chunk: number
  readonly text: string
  readonly start: number
  readonly end: number
  readonly page: number | null
  readonly title: string
  readonly contentType: string
  readonly url: string | null
  readonly attributes: Readonly<Record<string, string>>
}

/** Finds the chunks that match a query best. */
export async function searchChunks(
  db: Reader<KnowledgeTables>,
  { uids, language, query, vector, limit }: ChunkQuery,
): Promise<readonly FoundChunk[]> {
  const scope = sql`base_uid = any(${[...uids]}::text[])`
  const ranked = await searchHybrid(db, { table: 'knowledge_chunks', scope, query, language, vector, limit })
  const { rows } = await sql<Omit<FoundChunk, 'score'> & { readonly id: string }>`
    select c.id::text as id, c.base_uid as "baseUid", c.document_id as document, c.n as chunk, c.text,
      c.start_offset as start, c.end_offset as end, c.page, d.title, d.content_type as "contentType", d.url, d.attributes
    from knowledge_chunks c join knowledge_documents d on d.base_uid = c.base_uid and d.id = c.document_id
    where c.id = any(${ranked.map(({ id }) => id)}::bigint[])`.execute(db)
  const found = new Map(rows.map(({ id, ...row }) => [id, row]))
  return ranked.flatMap(({ id, score }) => {
    const row = found.get(id)
    return row === undefined ? [] : [{ score, ...row }]
  })
}
