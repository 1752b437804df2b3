import { guardBody } from '#core/guardrails/guard-body.ts'
import { UnreadableBody } from '#core/guardrails/body/unreadable-body.ts'
import type { ContentGuard, Finding } from '#core/guardrails/guard.ts'
import type { CallApproval } from './call-approval.ts'
import { invalid } from '#launcher/contract/calls/model-request.ts'
import { judgedRequest } from '#launcher/contract/calls/write-request.ts'
import type { ModelRequest } from '#launcher/contract/calls/model-request.ts'
import type { OnFindings } from '#launcher/contract/calls/model-call.ts'

/** One call under rules. */
export interface GuardedCall {
  readonly guard: ContentGuard
  readonly approval: CallApproval
  readonly onFindings: OnFindings
}

/** Returns the request after the rules were applied: unchanged parts are sent as received. Throws `Refusal`. */
export async function applyRequestRules(call: GuardedCall, request: ModelRequest): Promise<ModelRequest> {
  const { guard, approval } = call
  enforce(call, guard.model(request.route, approval.isApproved))
  if (!guard.stages.has('request') && !guard.stages.has('tool_call')) return request
  const outcome = await readable(() => guardBody(guard, request.body, approval.isApproved))
  enforce(call, outcome)
  return judgedRequest(request, outcome.body)
}

async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UnreadableBody ? invalid(error.message) : error
  }
}

/** Reports the findings of a check. Throws `Refusal` unless it passes. */
export function enforce(
  { approval, onFindings }: GuardedCall,
  outcome: Parameters<CallApproval['enforce']>[0] & { readonly findings: readonly Finding[] },
): void {
  if (outcome.findings.length > 0) onFindings(outcome.findings)
  approval.enforce(outcome)
}
