import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '#schemas/values/described.ts'
import { pageQuery } from '#schemas/api/common.ts'

/** Media types of text documents. */
export const textTypes = ['text/plain', 'text/markdown', 'text/html', 'text/csv'] as const

/** Ids of documents: letters, digits and path characters, so that they can be in events and URLs. */
const DOCUMENT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,255}$'

/** Id of a document. */
export const DocumentId = Type.String({
  maxLength: 256,
  pattern: DOCUMENT_ID_PATTERN,
  description: 'Id of the document, chosen by the caller. One with the same id is replaced.',
})

/** Name of the knowledge base in the path. */
export const BaseName = Type.String({ description: 'Name of the KnowledgeBase.' })

const Title = Type.String({ minLength: 1, maxLength: 256, description: 'Title in citations.' })
const Attributes = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,63}$' }), Type.String({ maxLength: 1_024 }), {
  maxProperties: 16,
  description: 'Strings returned with each chunk.',
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
    items: described(
      Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id of the document.', examples: ['handbook'] }),
          title: Type.String({ description: 'Title in citations.', examples: ['Handbook'] }),
          contentType: Type.String({ description: 'Media type of the document.', examples: ['text/markdown'] }),
          url: exemplified(
            Type.Union([Type.String(), Type.Null()], { description: 'URL from which it was fetched.' }),
            null,
          ),
          attributes: described(
            Type.Record(Type.String(), Type.String()),
            'Strings returned with each chunk, by key.',
            { team: 'support' },
          ),
          chunks: Type.Integer({ description: 'Number of chunks of its text.', examples: [12] }),
          createdAt: Type.String({
            description: 'Time of its first ingest, RFC 3339.',
            examples: ['2026-11-20T08:00:00.000Z'],
          }),
          updatedAt: Type.String({ description: 'Time of its last ingest.', examples: ['2026-11-20T08:00:00.000Z'] }),
        }),
      ),
      'Documents of the page.',
    ),
    nextCursor: exemplified(Type.Union([Type.String(), Type.Null()], { description: 'null at the end.' }), null),
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
    documents: described(
      Type.Array(
        Type.Object(
          {
            id: Type.Optional(DocumentId),
            title: Type.Optional(Title),
            contentType: Type.Optional(Type.Enum([...textTypes], { description: 'Default: text/plain.' })),
            text: Type.String({
              minLength: 1,
              maxLength: 1_000_000,
              description: 'Text of the document, at most 1,000,000 characters.',
            }),
            attributes: Type.Optional(Attributes),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 100 },
      ),
      'Documents to add, at most 100.',
    ),
  },
  { additionalProperties: false },
)

/** An address to fetch; without one, every source of the spec. */
export const IngestRequest = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        pattern: '^https?://[^\\s]+$',
        description: 'URL to fetch, at most 2,048 characters.',
      }),
    ),
    id: Type.Optional(DocumentId),
    title: Type.Optional(Title),
  },
  { additionalProperties: false, description: 'Without `url`, every source of the spec is fetched again.' },
)

const QueuedIngestSchema = Type.Object({
  id: Type.String({ description: 'Id of the ingest.', examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0c'] }),
  document: Type.String({ description: 'Id of the document.', examples: ['handbook'] }),
})

/** Queued ingests. */
export const QueuedIngests = Type.Object(
  { items: described(Type.Array(QueuedIngestSchema), 'Queued ingests, one for each document.') },
  { description: 'Read `GET /api/knowledgebases/{name}/ingests/{id}` until its state is final.' },
)

/** State of an ingest. */
export const IngestResponse = Type.Object(
  {
    id: Type.String({ description: 'Id of the ingest.', examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0c'] }),
    document: Type.String({ description: 'Id of the document.', examples: ['handbook'] }),
    state: exemplified(
      Type.Enum(['queued', 'running', 'succeeded', 'failed', 'superseded'], {
        description: 'superseded: a later ingest or a deletion of the document came first.',
      }),
      'succeeded',
    ),
    error: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Code of the problem of a failed ingest.' }),
      null,
    ),
    url: described(
      Type.Union([Type.String(), Type.Null()]),
      'URL that is fetched; null for an uploaded document.',
      null,
    ),
    createdAt: Type.String({
      description: 'Time at which it was queued, RFC 3339.',
      examples: ['2026-11-20T08:00:00.000Z'],
    }),
    finishedAt: described(
      Type.Union([Type.String(), Type.Null()]),
      'Time of its end, RFC 3339; null before.',
      '2026-11-20T08:00:02.000Z',
    ),
  },
  { title: 'KnowledgeIngest' },
)

const Query = Type.String({ minLength: 1, maxLength: 4_000, description: 'A question or words.' })
const Limit = Type.Integer({ minimum: 1, maximum: 50, description: 'Maximum number of chunks. Default: 8.' })

/** A search of one knowledge base. */
export const SearchRequest = Type.Object({ query: Query, limit: Type.Optional(Limit) }, { additionalProperties: false })

/** Found chunks. */
export const SearchResponse = Type.Object(
  {
    items: described(
      Type.Array(
        Type.Object({
          document: Type.String({ description: 'Id of the document.', examples: ['handbook'] }),
          chunk: Type.Integer({ description: 'Position of the chunk in the document, from 0.', examples: [0] }),
          text: Type.String({ description: 'Text of the chunk.', examples: ['Invoices are due after 30 days.'] }),
          score: Type.Number({
            description: 'Score in (0, 1], relative to a chunk that ranks first by words and by meaning.',
            examples: [0.82],
          }),
          metadata: described(
            Type.Object({
              knowledgeBase: Type.String({ description: 'Name of the knowledge base.', examples: ['docs'] }),
              title: Type.String({ description: 'Title of the document.', examples: ['Handbook'] }),
              contentType: Type.String({ description: 'Media type of the document.', examples: ['text/markdown'] }),
              url: Type.Optional(Type.String({ description: 'URL from which the document was fetched.' })),
              page: Type.Optional(Type.Integer({ description: 'Page of the chunk, from 1.' })),
              start: Type.Integer({
                description: 'Offset in the text of the document, in UTF-16 units.',
                examples: [0],
              }),
              end: Type.Integer({ description: 'Offset of the end, in UTF-16 units.', examples: [31] }),
              attributes: described(Type.Record(Type.String(), Type.String()), 'Strings of the document, by key.', {
                team: 'support',
              }),
            }),
            'Source of the chunk.',
          ),
        }),
      ),
      'Found chunks, best first.',
    ),
    mode: exemplified(
      Type.Enum(['hybrid', 'full-text'], { description: 'Whether chunks were also compared by meaning.' }),
      'hybrid',
    ),
    note: Type.Optional(Type.String({ description: 'Why the search is full-text only.' })),
  },
  { title: 'KnowledgeSearch' },
)

/** See {@link SearchResponse}. */
export type SearchResult = Static<typeof SearchResponse>
