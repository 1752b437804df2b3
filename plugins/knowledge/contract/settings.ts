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
      'Largest document in bytes, uploaded or fetched. An upload needs as much of `limits.bodyBytesPerCaller`.',
    ),
    maxTextCharacters: most(20_000_000, 4_000_000, 'Most characters of the text of a document.'),
    documentsPerBase: most(1_000_000, 10_000, 'Most documents of a knowledge base.'),
    chunksPerBase: most(10_000_000, 50_000, 'Most chunks of a knowledge base: a search compares each of them.'),
    chunksPerNamespace: most(100_000_000, 200_000, 'Most chunks of all knowledge bases of a namespace.'),
    waitingBytesPerNamespace: most(
      10 * 1024 * 1024 * 1024,
      100 * 1024 * 1024,
      'Most bytes of uploads of a namespace that wait for their ingest.',
    ),
    parseTimeout: most(600, 60, 'Seconds that reading a document may take.'),
    parseMemory: Type.Integer({
      minimum: 64,
      maximum: 8_192,
      default: 512,
      description: 'MiB of memory that reading a document may take, in a thread of its own.',
    }),
    fetchTimeout: most(600, 30, 'Seconds that fetching a document may take.'),
    ingestRetentionDays: most(365, 7, 'Days that finished ingests can be read.'),
  },
  { additionalProperties: false },
)

/** See {@link knowledgeSettings}. */
export type KnowledgeSettings = Static<typeof knowledgeSettings>
