import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of recordings. */
export const recordingErrors = defineErrors({
  no_fixture: { status: 404, title: 'The run recorded nothing.' },
  recording_quota_exceeded: { status: 429, title: 'The run or its namespace has its maximum of recordings.' },
  recording_unavailable: { status: 502, title: 'The object store cannot be used.' },
})
