import { Type } from 'typebox'
import type { Static } from 'typebox'
import { pageQuery } from '#schemas/api/common.ts'
import { textTypes } from './documents/formats.ts'

/** Ids of documents: letters, digits and the signs of paths, so that they can be in events and URLs. */
const DOCUMENT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,255}$'

/** Id of a document. */
export const DocumentId = Type.String({
  maxLength: 256,
  pattern: DOCUMENT_ID_PATTERN,
  description: 'Id of the document, chosen by the caller. One with the same id is replaced.',
})

const Title = Type.String({ minLength: 1, maxLength: 256, description: 'Title in citations.' })
const Attributes = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,63}$' }), Type.String({ maxLength: 1_024 }), {
  maxProperties: 16,
  description: 'Texts that are returned with each chunk.',
})

/** Query of routes below one knowledge base. */
export const NamespaceQuery = Type.Object({
  namespace: Type.Optional(Type.String({ maxLength: 63, description: 'Namespace; default `default`.' })),
})

/** Query of the documents of a knowledge base. */
export const DocumentsQuery = Type.Object(
  { ...NamespaceQuery.properties, ...pageQuery },
  { additionalProperties: false },
)

/** A page of the documents of a knowledge base, by their ids. */
export const DocumentList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        title: Type.String(),
        contentType: Type.String(),
        url: Type.Union([Type.String(), Type.Null()], { description: 'Address from which it was fetched.' }),
        attributes: Type.Record(Type.String(), Type.String()),
        chunks: Type.Integer({ description: 'Chunks into which its text is divided.' }),
        createdAt: Type.String(),
        updatedAt: Type.String({ description: 'Time of its last ingest.' }),
      }),
    ),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'null at the end.' }),
  },
  { title: 'KnowledgeDocuments' },
)

/** See {@link DocumentList}. */
export type ListedDocument = Static<typeof DocumentList>['items'][number]

/** Query of an uploaded file. */
export const UploadQuery = Type.Object({
  ...NamespaceQuery.properties,
  id: Type.Optional(DocumentId),
  title: Type.Optional(Title),
})

/** Texts to add. */
export const AddDocuments = Type.Object(
  {
    documents: Type.Array(
      Type.Object(
        {
          id: Type.Optional(DocumentId),
          title: Type.Optional(Title),
          contentType: Type.Optional(Type.Enum([...textTypes], { description: 'Default: text/plain.' })),
          text: Type.String({ minLength: 1, maxLength: 1_000_000 }),
          attributes: Type.Optional(Attributes),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { additionalProperties: false },
)

/** An address to fetch, or nothing for every source of the spec. */
export const IngestRequest = Type.Object(
  {
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048, pattern: '^https?://[^\\s]+$' })),
    id: Type.Optional(DocumentId),
    title: Type.Optional(Title),
  },
  { additionalProperties: false, description: 'Without `url`, every source of the spec is fetched again.' },
)

const QueuedIngestSchema = Type.Object({ id: Type.String(), document: Type.String() })

/** Ingests that were queued. */
export const QueuedIngests = Type.Object(
  { items: Type.Array(QueuedIngestSchema) },
  { description: 'Read `GET /api/knowledgebases/{name}/ingests/{id}` until its state is final.' },
)

/** State of an ingest. */
export const IngestAnswer = Type.Object(
  {
    id: Type.String(),
    document: Type.String(),
    state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'superseded'], {
      description: 'superseded: a later ingest or a deletion of the document came first.',
    }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Code of the problem of a failed ingest.' }),
    url: Type.Union([Type.String(), Type.Null()]),
    createdAt: Type.String(),
    finishedAt: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'KnowledgeIngest' },
)

const Query = Type.String({ minLength: 1, maxLength: 4_000, description: 'A question or words.' })
const Limit = Type.Integer({ minimum: 1, maximum: 50, description: 'Most chunks; default 8.' })

/** A search of one knowledge base. */
export const SearchRequest = Type.Object({ query: Query, limit: Type.Optional(Limit) }, { additionalProperties: false })

/** A search by an agent, of one of its knowledge bases or of all. */
export const AgentSearchRequest = Type.Object(
  {
    query: Query,
    knowledgeBase: Type.Optional(Type.String({ minLength: 1, maxLength: 253, description: 'Name in spec.knowledge.' })),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
)

/** Found chunks. */
export const SearchAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        document: Type.String({ description: 'Id of the document.' }),
        chunk: Type.Integer({ description: 'Place of the chunk in the document, from 0.' }),
        text: Type.String(),
        score: Type.Number({ description: 'Relative to a chunk that is first by words and by meaning, in (0, 1].' }),
        metadata: Type.Object({
          knowledgeBase: Type.String(),
          title: Type.String(),
          contentType: Type.String(),
          url: Type.Optional(Type.String()),
          page: Type.Optional(Type.Integer({ description: 'Page of the chunk, from 1.' })),
          start: Type.Integer({ description: 'Offset in the text of the document, in UTF-16 units.' }),
          end: Type.Integer(),
          attributes: Type.Record(Type.String(), Type.String()),
        }),
      }),
    ),
    mode: Type.Enum(['hybrid', 'full-text'], { description: 'Whether chunks were also compared by meaning.' }),
    note: Type.Optional(Type.String({ description: 'Why the search is full-text only.' })),
  },
  { title: 'KnowledgeSearch' },
)

/** See {@link SearchAnswer}. */
export type SearchResult = Static<typeof SearchAnswer>
