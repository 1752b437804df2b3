import type { ColumnType, Generated } from 'kysely'

type Attributes = ColumnType<Readonly<Record<string, string>>, string, string>

/** A knowledge base by its uid; `generation` is null until the manager has read its spec. */
export interface BaseRow {
  uid: string
  namespace: string
  namespace_uid: string
  name: string
  generation: bigint | null
  chunk_size: Generated<number>
  chunk_overlap: Generated<number>
  language: Generated<string>
  /** `namespace/name` of the route of its embeddings, if the base may use it. */
  route: string | null
  /** Route and model of its vectors. */
  space: string | null
  most_documents: number | null
  most_chunks: number | null
  documents: Generated<number>
  chunks: Generated<number>
  /** Chunks with a vector of `space`. */
  embedded: Generated<number>
  /** Why the last embedding ended early. */
  problem: string | null
  created_at: Generated<Date>
}

/** A document with its extracted text. */
export interface DocumentRow {
  base_uid: string
  id: string
  /** Order of its ingest: an earlier ingest that ends later does not replace the document. */
  ingest_order: bigint
  title: string
  content_type: string
  url: string | null
  attributes: Attributes
  digest: string
  text: string
  /** Offsets at which the pages after the first begin. */
  pages: number[]
  /** Chunking settings of the document. */
  chunk_layout: string
  chunks: number
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** State of an ingest. */
export type IngestState = 'queued' | 'running' | 'succeeded' | 'failed' | 'superseded'

/** The ingest of one document; its content is removed at the end. */
export interface IngestRow {
  id: string
  place: Generated<bigint>
  base_uid: string
  namespace_uid: string
  document_id: string
  title: string | null
  content_type: string | null
  url: string | null
  attributes: Attributes
  actor: string
  state: Generated<IngestState>
  error: string | null
  content: Buffer | null
  bytes: Generated<number>
  created_at: Generated<Date>
  finished_at: Date | null
}

/** Tables of the plugin; chunks are written and searched by SQL. */
export interface KnowledgeTables {
  knowledge_bases: BaseRow
  knowledge_documents: DocumentRow
  knowledge_ingests: IngestRow
}
