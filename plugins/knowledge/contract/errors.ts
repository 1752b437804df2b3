import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of knowledge bases. */
export const knowledgeErrors = defineErrors({
  unknown_knowledge_base: { status: 404, title: 'The agent has no knowledge base of that name.' },
  ingest_queue_full: { status: 429, title: 'Too much of the namespace waits for its ingest.', retryable: true },
})
