import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of recordings. */
export const recordingErrors = defineErrors({
  no_fixture: { status: 404, title: 'The run has no recording.' },
  recording_quota_exceeded: {
    status: 429,
    title: 'The run or its namespace has reached its maximum size of recordings.',
  },
  recording_unavailable: { status: 502, title: 'The object store cannot be used.' },
})
