import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of holds of money. */
export const budgetErrors = defineErrors({
  budget_exceeded: { status: 402, title: 'A spend limit does not cover the call.' },
  cap_exceeded: { status: 402, title: 'The cap of what calls for one purpose may cost does not cover the call.' },
  rate_limited: { status: 429, title: 'The tenant has reached its limit of model calls per minute.', retryable: true },
  concurrency_limited: {
    status: 429,
    title: 'The tenant has reached its limit of model calls in flight.',
    retryable: true,
  },
  hold_required: { status: 402, title: 'The agent has a spend limit, and the call has no live hold.' },
  unbudgeted: { status: 404, title: 'No budget and no quota applies to the agent.' },
  price_unknown: { status: 422, title: 'The price of the model is not known.' },
})
