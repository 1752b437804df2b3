import { Type } from 'typebox'
import type { Static } from 'typebox'

const most = (maximum: number, preset: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, default: preset, description })

/** Settings of the plugin. */
export const knowledgeSettings = Type.Object(
  {
    maxDocumentBytes: most(
      100 * 1024 * 1024,
      10 * 1024 * 1024,
      'Maximum size of an uploaded or fetched document, in bytes. An upload counts toward `limits.bodyBytesPerCaller`.',
    ),
    maxTextCharacters: most(20_000_000, 4_000_000, 'Maximum number of characters in the text of a document.'),
    documentsPerBase: most(1_000_000, 10_000, 'Maximum number of documents in a knowledge base.'),
    chunksPerBase: most(
      10_000_000,
      50_000,
      'Maximum number of chunks in a knowledge base: a search compares each of them.',
    ),
    chunksPerNamespace: most(100_000_000, 200_000, 'Maximum number of chunks in all knowledge bases of a namespace.'),
    waitingBytesPerNamespace: most(
      10 * 1024 * 1024 * 1024,
      100 * 1024 * 1024,
      'Maximum bytes of uploads of a namespace that wait to be ingested.',
    ),
    parseTimeout: most(600, 60, 'Maximum seconds for reading a document.'),
    parseMemory: Type.Integer({
      minimum: 64,
      maximum: 8_192,
      default: 512,
      description: 'Maximum memory for reading a document, in a separate thread, in MiB.',
    }),
    fetchTimeout: most(600, 30, 'Maximum seconds for fetching a document.'),
    ingestRetentionDays: most(365, 7, 'Retention of finished ingests, in days.'),
  },
  { additionalProperties: false },
)

/** See {@link knowledgeSettings}. */
export type KnowledgeSettings = Static<typeof knowledgeSettings>
