import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { createRedactor } from '#core/guardrails/redactor.ts'
import type { Redactor } from '#core/guardrails/redactor.ts'
import type { ContentReason, ShareRedactionInput } from '#schemas/api/sharing.ts'

/** The part of an agent's trace policy that applies to shares; `unreadable` if the caller cannot read it, or the agent was deleted. */
export type TracePolicy = { readonly capture?: string; readonly redact?: readonly string[] } | 'none' | 'unreadable'

/** The content of a run that a share shows. */
export interface Redaction {
  readonly content: 'full' | 'none'
  readonly reason: ContentReason | null
  readonly redactor: Redactor
}

/**
 * Determines the content of a share: only content that both the request and the agent's trace policy allow. A policy that cannot be read or applied
 * allows no content. Throws `invalid_body` for a name of the request that cannot be applied.
 */
export function effectiveRedaction(
  asked: Static<typeof ShareRedactionInput> = {},
  policy: TracePolicy = 'none',
): Redaction {
  const names = asked.redact ?? []
  const own = compile(names)
  if (own instanceof PolicyProblem)
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: `/redaction/redact${own.pointer}`, detail: own.detail }],
    })
  const without = (reason: ContentReason): Redaction => ({ content: 'none', reason, redactor: own })
  if (asked.content === 'none') return without('request')
  if (policy === 'unreadable') return without('trace_policy_unreadable')
  if (policy === 'none') return { content: 'full', reason: null, redactor: own }
  if (policy.capture !== 'full') return without('trace_policy')
  const redactor = compile([...new Set([...(policy.redact ?? []), ...names])])
  return redactor instanceof PolicyProblem
    ? without('trace_policy_invalid')
    : { content: 'full', reason: null, redactor }
}

function compile(names: readonly string[]): Redactor | PolicyProblem {
  try {
    return createRedactor(names)
  } catch (error) {
    if (error instanceof PolicyProblem) return error
    throw error
  }
}
