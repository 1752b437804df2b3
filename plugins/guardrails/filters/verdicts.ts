import type { Finding, GuardOutcome } from '#core/guardrails/guard.ts'
import { refusalMessage, toErrorParam } from '#core/guardrails/messages.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { FilterRefusal } from '#plugins/providers/contract/points.ts'
import { guardrailErrors } from '../contract/errors.ts'
import { guardrailMetrics } from '../contract/metrics.ts'

/** Counts findings. */
export type CountFindings = (findings: readonly Finding[]) => void

/** Creates the counter of findings. */
export function countFindings({ metrics }: Core): CountFindings {
  const decisions = metrics.counter(guardrailMetrics.decisions)
  return (findings) => {
    for (const { check, stage, action, count } of findings) decisions.inc({ check, stage, action }, count)
  }
}

/** The refusal of a call that a rule stops; undefined if no rule does. */
export function refusalOf({ decision, by }: Pick<GuardOutcome, 'decision' | 'by'>): FilterRefusal | undefined {
  if (decision === 'pass') return undefined
  const { guardrail_blocked: blocked, guardrail_approval_required: approval } = guardrailErrors
  const refuse = decision === 'block' ? blocked : approval
  return by === undefined ? { refuse } : { refuse, message: refusalMessage(by), param: toErrorParam(by) }
}

/** The refusal of a call with a proof that no launcher of its agent has signed. */
export const forgedProof: FilterRefusal = { refuse: guardrailErrors.guardrail_proof_refused }
