import type { Reader } from '#core/event-store/store.ts'
import type { ListedDocument } from '../contract/schemas.ts'
import type { KnowledgeTables } from '../contract/tables.ts'

/** Documents of a knowledge base with an id after `after`, by id in the order of the primary key. Without the texts. */
export async function listDocuments(
  db: Reader<KnowledgeTables>,
  baseUid: string,
  { limit, after }: { readonly limit: number; readonly after: string },
): Promise<readonly ListedDocument[]> {
  const rows = await db
    .selectFrom('knowledge_documents')
    .select(['id', 'title', 'content_type', 'url', 'attributes', 'chunks', 'created_at', 'updated_at'])
    .where('base_uid', '=', baseUid)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ content_type: contentType, created_at: createdAt, updated_at: updatedAt, ...row }) => ({
    ...row,
    contentType,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }))
}
