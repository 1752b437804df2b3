import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of feedback. */
export const feedbackErrors = defineErrors({
  too_many_scores: { status: 429, title: 'The run or its namespace has reached its maximum number of scores.' },
})
