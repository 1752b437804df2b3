import { createHash } from 'node:crypto'
import type { Finding, GuardOutcome, IsApproved } from '#core/guardrails/guard.ts'
import { refusalMessage } from '#core/guardrails/messages.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { guardrailInterruptPrefix } from '#schemas/runs/run.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { Approvals } from '#launcher/contract/runs/approvals.ts'
import type { ModelRequest } from '#launcher/contract/calls/model-request.ts'

type By = Pick<Finding, 'policy' | 'rule' | 'stage'>

/** Approval of one model call. */
export interface CallApproval {
  readonly isApproved: IsApproved
  /** Throws `Refusal` unless the outcome passes. A missing approval is requested, if the call belongs to a run. */
  enforce(outcome: Pick<GuardOutcome, 'decision' | 'by'>): void
}

/**
 * Creates the approval of a call. An approval is bound to rule, stage, model and input. A resumed run that repeats the call may make it; any other
 * call needs its own approval.
 */
export function createCallApproval(approvals: Approvals | undefined, request: ModelRequest): CallApproval {
  let input: string | undefined
  const idOf = ({ policy, rule, stage }: By): string => {
    const { operation, route, body } = request
    // Rules see every field. The response format is not part of the approval.
    const { model: _, stream: __, stream_options: ___, ...content } = body
    input ??= canonicalJson([operation, route, content])
    const hash = createHash('sha256')
      .update(canonicalJson([policy, rule, stage]))
      .update(input)
    return guardrailInterruptPrefix + hash.digest('hex').slice(0, 40)
  }
  return {
    isApproved: (by) => approvals?.decisionOf(idOf(by)) === 'approve',
    enforce({ decision, by }) {
      if (decision === 'pass') return
      const message = by === undefined ? undefined : refusalMessage(by)
      if (decision === 'block' || by === undefined) throw new Refusal('guardrail_blocked', message)
      const id = idOf(by)
      if (approvals?.decisionOf(id) === 'reject') throw new Refusal('guardrail_blocked', `${message} It was rejected.`)
      const { policy: name, rule } = by
      const policy = { kind: 'GuardrailPolicy', name, rule }
      approvals?.request({ id, reason: 'approval_required', question: `${message} Approve the call?`, policy })
      throw new Refusal('guardrail_approval_required', message, { 'x-should-retry': 'false' })
    },
  }
}
