import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { allowedNamespaces, conditions, DNS_LABEL_PATTERN, observedGeneration, pathRef } from '../kinds/parts.ts'

/** Text search configurations of PostgreSQL that a knowledge base may use: stemming and stop words of a language; `simple` has neither. */
export const searchLanguages = [
  'simple',
  'arabic',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
] as const

const chunking = Type.Object(
  {
    size: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 8_000,
        description: 'Maximum number of characters of a chunk. Defaults to 1200.',
      }),
    ),
    overlap: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_000,
        description:
          'Number of characters by which consecutive chunks overlap, at most half of the size. Defaults to 200.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How documents are split into chunks.' },
)

const source = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'Name of the source.' }),
    url: Type.String({
      minLength: 1,
      maxLength: 2_048,
      pattern: '^https?://[^\\s]+$',
      description: 'URL of one document. It is fetched when the source is added or changed, and by an ingest.',
    }),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Title in citations.' })),
  },
  { additionalProperties: false, description: 'A document at a URL.' },
)

const limits = Type.Object(
  {
    documents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Maximum number of documents, up to the limit of the installation.',
      }),
    ),
    chunks: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        description: 'Maximum number of chunks, up to the limit of the installation.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Limits below those of the installation.' },
)

const spec = Type.Object(
  {
    embedding: Type.Optional(
      Type.Object(
        { route: pathRef('ModelRoute', 'Route of the embedding model.') },
        { additionalProperties: false, description: 'Search by meaning; without it, search is full-text only.' },
      ),
    ),
    language: Type.Optional(
      Type.Enum([...searchLanguages], {
        default: 'english',
        description: 'Language of the documents, for full-text search.',
      }),
    ),
    chunking: Type.Optional(chunking),
    sources: Type.Optional(
      Type.Array(source, {
        maxItems: 64,
        description: 'Documents that are fetched.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
    ),
    limits: Type.Optional(limits),
    allowedNamespaces: Type.Optional(allowedNamespaces),
  },
  { additionalProperties: false, description: 'Documents that agents may search.' },
)

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    documents: count('Documents that can be found.'),
    chunks: count('Chunks of these documents.'),
    embeddedChunks: count('Chunks with a vector of the current model.'),
    pendingIngests: count('Documents that wait to be ingested.'),
    failedIngests: count('Number of failed ingests, among those still retained.'),
    embeddingModel: Type.Optional(
      Type.String({ maxLength: 600, description: 'Route and model of the vectors, as namespace/name@model.' }),
    ),
    conditions: Type.Optional(conditions),
  },
  { description: 'Observed state of the knowledge base.' },
)

/** Documents that agents may search. */
export const KnowledgeBase = defineKind({
  kind: 'KnowledgeBase',
  plural: 'knowledgebases',
  singular: 'knowledgebase',
  shortNames: ['kb'],
  scope: 'Namespaced',
  description: 'Documents that agents may search, by words and by meaning.',
  spec,
  status,
  audited: ['embedding.route', 'language'],
  printerColumns: [
    { name: 'Documents', type: 'integer', jsonPath: '.status.documents' },
    { name: 'Chunks', type: 'integer', jsonPath: '.status.chunks' },
    { name: 'Embedded', type: 'integer', jsonPath: '.status.embeddedChunks' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link KnowledgeBase}. */
export type KnowledgeBaseSpec = Static<typeof spec>

/** See {@link KnowledgeBase}. */
export type KnowledgeBaseStatus = Static<typeof status>

/** A knowledge base in its wire format. */
export type KnowledgeBaseObject = ObjectOf<typeof KnowledgeBase>
