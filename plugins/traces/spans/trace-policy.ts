import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { createRedactor } from '#core/guardrails/redactor.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import type { AppliedTracePolicy } from '#schemas/launcher/traces.ts'

type Given = AgentDeploymentSpec['tracePolicy']

/** The policy with its defaults. */
export function toAppliedPolicy({
  capture = 'metadata',
  redact = [],
  sampleRate = 1,
}: NonNullable<Given> = {}): AppliedTracePolicy {
  return { capture, redact, sampleRate }
}

/** Returns the first entry of `redact` that is not a valid pattern, with the reason; undefined if all are valid. */
export function findPatternProblem(
  redact: readonly string[] = [],
): { readonly index: number; readonly detail: string } | undefined {
  for (const [index, entry] of redact.entries()) {
    try {
      createRedactor([entry])
    } catch (error) {
      if (!(error instanceof PolicyProblem)) throw error
      return { index, detail: error.detail }
    }
  }
  return undefined
}
