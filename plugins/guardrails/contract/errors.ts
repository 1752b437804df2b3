import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of calls under guardrail policies. */
export const guardrailErrors = defineErrors({
  guardrail_blocked: { status: 403, title: 'A guardrail policy blocks the call.' },
  guardrail_approval_required: { status: 403, title: 'A guardrail policy requires approval of the call.' },
  guardrail_proof_refused: {
    status: 403,
    title: 'The proof of applied guardrails was not made by a launcher of the agent.',
  },
  guardrail_unavailable: {
    status: 503,
    title: 'A guardrail policy of the agent is missing or cannot be applied.',
    retryable: true,
  },
  guardrail_too_slow: { status: 422, title: 'The rules of the policy take too long on the body.' },
})
