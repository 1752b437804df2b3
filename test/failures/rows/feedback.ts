import { defineFailures } from './failure.ts'
import type { FailureRow, FailureStage } from './failure.ts'
import { feedbackPort } from '#plugins/feedback/launcher/port.ts'

const request = ({ runId }: FailureStage) =>
  ({ method: 'POST', path: '/feedback', body: { runId, value: true } }) as const
const failed = { status: 502, code: 'feedback_unavailable' } as const
const through: Omit<FailureRow, 'dependency'> = {
  request,
  healthy: 202,
  killed: failed,
  frozen: { ...failed, within: 10 },
  slow: { status: 202 },
  note: 'A repeat with the same `Idempotency-Key` stores the score once.',
}

/** Feedback while the state role or its store fails. */
export const feedbackFailures = defineFailures(feedbackPort, {
  'POST /feedback': [
    { ...through, dependency: 'state role' },
    { ...through, dependency: 'PostgreSQL' },
  ],
})
