import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of knowledge bases. */
export const knowledgeErrors = defineErrors({
  unknown_knowledge_base: { status: 404, title: 'The agent has no knowledge base with that name.' },
  ingest_queue_full: {
    status: 429,
    title: 'Too many bytes of the namespace are waiting to be ingested.',
    retryable: true,
  },
})
