import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { Base } from './bases.ts'
import { layoutOf } from './documents.ts'

/** A stored document that was divided with other settings. */
export interface OldDocument {
  readonly id: string
  readonly ingestOrder: bigint
  readonly title: string
  readonly contentType: string
  readonly url: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly pages: readonly number[]
}

/** A document of the base that was chunked with other settings; undefined if there is none. */
export async function findOldDocument(tx: Tx, base: Base): Promise<OldDocument | undefined> {
  const { rows } = await sql<OldDocument>`
    select id, ingest_order as "ingestOrder", title, content_type as "contentType", url, attributes, text, pages
    from knowledge_documents where base_uid = ${base.uid} and chunk_layout <> ${layoutOf(base)} order by id limit 1`.execute(
    tx.tables(),
  )
  return rows[0]
}
