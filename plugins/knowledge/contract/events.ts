import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

const document = Type.String({ description: 'Id of the document.' })
const ingestId = Type.String({ description: 'Id of the ingest.' })

/** A document is stored and searchable. The subject is its knowledge base. */
export const documentStored = defineEvent({
  plugin: 'knowledge',
  fact: 'document-stored',
  summary: 'A document of a knowledge base was added or replaced, and can be found.',
  data: Type.Object({
    document,
    ingestId,
    contentType: Type.String({ description: 'Media type of the document.' }),
    characters: Type.Integer({ description: 'Characters of its text.' }),
    chunks: Type.Integer({ description: 'Number of chunks of its text.' }),
  }),
  audit: { action: 'ingest', resourceKind: 'KnowledgeBase' },
})

/** A document was removed by a caller. */
export const documentDeleted = defineEvent({
  plugin: 'knowledge',
  fact: 'document-deleted',
  summary: 'A document of a knowledge base was deleted.',
  data: Type.Object({ document }),
  audit: { action: 'delete-document', resourceKind: 'KnowledgeBase' },
})

/** A document could not be read or stored. */
export const ingestFailed = defineEvent({
  plugin: 'knowledge',
  fact: 'ingest-failed',
  summary: 'A document of a knowledge base could not be ingested.',
  data: Type.Object({ document, ingestId, reason: Type.String({ description: 'Code of the problem.' }) }),
})

/** Event types of the plugin. */
export const knowledgeEvents = [documentStored, documentDeleted, ingestFailed]
