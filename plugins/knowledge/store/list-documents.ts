import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { ListedDocument } from '../schemas.ts'
import type { KnowledgeTables } from './tables.ts'

/** Documents of a knowledge base with an id after `after`, in the order of the bytes of their ids. Without their texts. */
export async function listDocuments(
  db: Reader<KnowledgeTables>,
  baseUid: string,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<readonly ListedDocument[]> {
  const rows = await db
    .selectFrom('knowledge_documents')
    .select(['id', 'title', 'content_type', 'url', 'attributes', 'chunks', 'created_at', 'updated_at'])
    .where('base_uid', '=', baseUid)
    .$if(after !== undefined, (query) => query.where(sql`id collate "C"`, '>', after ?? ''))
    .orderBy(sql`id collate "C"`)
    .limit(limit)
    .execute()
  return rows.map(({ content_type: contentType, created_at: createdAt, updated_at: updatedAt, ...row }) => ({
    ...row,
    contentType,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }))
}
