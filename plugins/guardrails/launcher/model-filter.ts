import { approvalKey, fromErrorParam } from '#core/guardrails/messages.ts'
import { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import type { OnFindings } from '#launcher/contract/calls/model-call.ts'
import type { ModelFilter, ResponseFilter } from '#launcher/contract/calls/model-filter.ts'
import type { ModelRequest } from '#launcher/contract/calls/model-request.ts'
import { createCallApproval } from './call-approval.ts'
import { guardMessages } from './guard-messages.ts'
import { applyRequestRules } from './guard-request.ts'
import type { GuardedCall } from './guard-request.ts'
import { createResponseGuard } from './guard-response.ts'
import type { GuardSource } from './guard-source.ts'

/** Creates the filter of the agent's policies. `countFindings` counts the matches of their rules. */
export function createModelFilter(guards: GuardSource, countFindings: OnFindings): ModelFilter {
  return {
    async apply(request, { approvals, onFindings: report }) {
      const { guard, external, prove } = await guards.current()
      const approval = createCallApproval(approvals, request)
      const onFindings: OnFindings = (findings) => {
        countFindings(findings)
        report?.(findings)
      }
      const call: GuardedCall = { guard, approval, onFindings }
      const hasExternalAnswers = external.some(({ stage }) => stage !== 'request')
      return {
        request: await applyRequestRules(call, request),
        response: responseFilterOf(request, call, hasExternalAnswers),
        proof: await prove(external.filter(approval.isApproved).map(approvalKey)),
        refusal: (error) => refusedByGateway(error, call),
      }
    },
  }
}

function responseFilterOf(
  { operation }: ModelRequest,
  call: GuardedCall,
  external: boolean,
): ResponseFilter | undefined {
  // Responses of embeddings and token counts have no text.
  if (operation === 'embeddings' || operation === 'messages/count_tokens') return undefined
  const answers = createResponseGuard(call, external)
  const seesAnswers = call.guard.stages.has('response') || call.guard.stages.has('tool_call')
  return operation === 'messages' && answers !== undefined && seesAnswers ? guardMessages(answers) : answers
}

// Rules of the gateway are decided there; their findings are reported and approved here.
function refusedByGateway(error: unknown, { approval, onFindings }: GuardedCall): unknown {
  if (!(error instanceof GatewayRefusal)) return error
  const decision = gatewayDecisions[error.code ?? '']
  const by = fromErrorParam(error.param, decision ?? 'block')
  if (decision === undefined || by === undefined) return error
  onFindings([by])
  try {
    approval.enforce({ decision, by })
  } catch (refusal) {
    return refusal
  }
  return error
}

const gatewayDecisions: Readonly<Record<string, 'block' | 'require_approval'>> = {
  guardrail_blocked: 'block',
  guardrail_approval_required: 'require_approval',
}
