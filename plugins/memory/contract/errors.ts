import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of memory. */
export const memoryErrors = defineErrors({
  not_bound: { status: 404, title: 'The spec of the agent does not have this part of memory.' },
  unknown_run: { status: 404, title: 'The agent has no such run.' },
  conversation_full: { status: 413, title: 'The conversation has reached its maximum size.' },
  memory_quota_exceeded: { status: 429, title: 'The memory quota of the agent or of its namespace is used up.' },
  memory_unavailable: { status: 502, title: 'The memory of the agent cannot be reached.', retryable: true },
})
