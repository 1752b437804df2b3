import { sql } from 'kysely'
import type { Reader, Tx } from '#core/event-store/store.ts'
import { toRealArray } from '#core/retrieval/hybrid-search.ts'
import type { KnowledgeTables } from '../contract/tables.ts'

/** A chunk without a vector of the current space. */
export interface BareChunk {
  readonly id: string
  readonly text: string
}

/** Chunks of a knowledge base without a vector of a space, oldest first. */
export async function findBareChunks(
  db: Reader<KnowledgeTables>,
  { uid, space }: { readonly uid: string; readonly space: string },
  limit: number,
): Promise<readonly BareChunk[]> {
  const { rows } = await sql<BareChunk>`
    select c.id::text as id, d.title || E'\n\n' || c.text as text
    from knowledge_chunks c join knowledge_documents d on d.base_uid = c.base_uid and d.id = c.document_id
    where c.base_uid = ${uid} and c.embedding_space is distinct from ${space} order by c.id limit ${limit}`.execute(db)
  return rows
}

/** Stores vectors of chunks that still exist and have no vector of the space. Returns their number. */
export async function storeVectors(
  tx: Tx,
  { uid, space }: { readonly uid: string; readonly space: string },
  vectors: ReadonlyMap<string, readonly number[]>,
): Promise<number> {
  const rows = [...vectors].map(([id, vector]) => sql`(${id}::bigint, ${toRealArray(vector)}::real[])`)
  const { rows: stored } = await sql`
    update knowledge_chunks c set embedding = v.vector, embedding_space = ${space}
    from (values ${sql.join(rows)}) as v(id, vector)
    where c.id = v.id and c.base_uid = ${uid} and c.embedding_space is distinct from ${space}
      and exists (select from knowledge_bases where uid = ${uid} and space = ${space}) returning 1`.execute(tx.tables())
  await sql`update knowledge_bases set embedded = embedded + ${stored.length} where uid = ${uid} and space = ${space}`.execute(
    tx.tables(),
  )
  return stored.length
}
