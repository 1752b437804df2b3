import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of shares. */
export const sharingErrors = defineErrors({
  run_too_large: { status: 422, title: 'The run is too large to be shared.' },
  share_quota_exceeded: { status: 429, title: 'The run or its namespace has reached its maximum number of shares.' },
})
