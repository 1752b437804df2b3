import { sql } from 'kysely'
import type { Pruner } from '#plugins/pruning/contract/points.ts'

/** Removes the documents of a deleted knowledge base, by uid: a re-created base of the same name inherits nothing. */
export const knowledgePruner: Pruner = {
  name: 'knowledge',
  kinds: ['KnowledgeBase'],
  async prune(tx, { uid }, limit) {
    const db = tx.tables()
    // Documents first, in batches: chunks follow by their foreign key.
    const { rows } = await sql`
      delete from knowledge_documents where base_uid = ${uid} and id in (
        select id from knowledge_documents where base_uid = ${uid} limit ${limit}) returning 1`.execute(db)
    if (rows.length < limit) await sql`delete from knowledge_bases where uid = ${uid}`.execute(db)
    return rows.length
  },
}
