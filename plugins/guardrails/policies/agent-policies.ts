import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { compileGuard } from '#core/guardrails/compile-guard.ts'
import type { NewPause } from '#core/guardrails/compile-guard.ts'
import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import type { ContentGuard, GuardrailRules } from '#core/guardrails/guard.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { GuardrailPolicyObject, GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { guardrailErrors } from '../contract/errors.ts'

/** A policy in the format for launchers. */
export interface AppliedPolicy extends GuardrailRules {
  readonly uid: string
  readonly generation: number
}

/** A rule with a check by an HTTP service, which the gateway applies. */
export interface ExternalRule {
  /** `namespace/name`. */
  readonly policy: string
  readonly rule: GuardrailRule & { readonly http: NonNullable<GuardrailRule['http']> }
}

/** The policies of a call, compiled. */
export interface PolicySet {
  /** Identifies names, versions and rules of all policies. */
  readonly digest: string
  readonly policies: readonly AppliedPolicy[]
  readonly guard: ContentGuard
  readonly external: readonly ExternalRule[]
}

/** Maximum size of the policies of one call as JSON: launchers read them in one response. */
const maxBytes = 1024 * 1024

/** Compiles the policies of a call. Throws `guardrail_unavailable` with policy and field. */
export function toPolicySet(objects: readonly GuardrailPolicyObject[]): PolicySet {
  const policies = objects.map(toApplied)
  const text = canonicalJson(policies)
  if (Buffer.byteLength(text) > maxBytes)
    throw unavailable(`The guardrail policies of the call exceed ${maxBytes} bytes in total.`)
  for (const policy of policies) compilePolicy(policy)
  return {
    digest: createHash('sha256').update(text).digest('base64url'),
    policies,
    guard: compileTogether(policies),
    external: policies.flatMap(externalRules),
  }
}

/** A failure to apply policies. */
export function unavailable(detail: string): Fail {
  return new Fail(guardrailErrors.guardrail_unavailable, detail)
}

/** A policy as it is applied. */
export function toApplied({ metadata, spec }: GuardrailPolicyObject): AppliedPolicy {
  const { namespace = '', name, uid = '', generation = 0 } = metadata
  return { namespace, name, uid, generation, rules: spec.rules }
}

/** Compiles one policy. Throws `guardrail_unavailable` with its name and the field. */
export function compilePolicy(policy: AppliedPolicy, newPause?: NewPause): ContentGuard {
  try {
    return compileGuard([policy], newPause)
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error
    const { namespace, name } = policy
    throw unavailable(
      `The guardrail policy ${namespace}/${name} cannot be applied: spec${error.pointer} ${error.detail}.`,
    )
  }
}

function compileTogether(policies: readonly AppliedPolicy[]): ContentGuard {
  try {
    return compileGuard(policies)
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error
    throw unavailable(`The guardrail policies of the call cannot be applied together: ${error.detail}.`)
  }
}

function externalRules({ namespace, name, rules }: AppliedPolicy): readonly ExternalRule[] {
  return rules.flatMap((rule) =>
    rule.http === undefined ? [] : [{ policy: `${namespace}/${name}`, rule: { ...rule, http: rule.http } }],
  )
}
