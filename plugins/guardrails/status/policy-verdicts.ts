import { compileGuard } from '#core/guardrails/compile-guard.ts'
import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { GuardrailPolicyObject, GuardrailPolicySpec } from '#schemas/crds/guardrail-policy.ts'
import type { Reference } from '#schemas/kinds/references.ts'

/** Findings about a policy beyond its own content. */
export interface PolicyFindings {
  /** References of rules to models that are not routes. */
  readonly missing: readonly Reference[]
  /** Addresses of checks that the outbound guard refuses. */
  readonly refused: readonly { readonly field: string; readonly message: string }[]
}

/**
 * The condition `Accepted` of a policy. `InvalidRule`: calls under the policy are refused. `UnknownModel` and `AddressRefused`: the rules are applied
 * unchanged. Pure.
 */
export function policyVerdict(policy: GuardrailPolicyObject, { missing, refused }: PolicyFindings): ConditionValue {
  const invalid = ruleProblem(policy)
  if (invalid !== undefined) return denied('InvalidRule', `${invalid} Calls under this policy are refused.`)
  const [model] = missing
  if (model !== undefined)
    return denied('UnknownModel', `${model.field}: there is no route ${model.namespace}/${model.name}.`)
  const [address] = refused
  if (address !== undefined) return denied('AddressRefused', `${address.field}: ${address.message}`)
  const count = policy.spec.rules.length
  return {
    type: 'Accepted',
    status: 'True',
    reason: 'Accepted',
    message: `${count} ${count === 1 ? 'rule is' : 'rules are'} applied.`,
  }
}

/** Routes that rules reference without a pattern. A name without a namespace refers to the policy's namespace. */
export function modelReferences({ rules }: GuardrailPolicySpec, namespace: string): readonly Reference[] {
  return rules.flatMap(({ models = {} }, index) =>
    (['allow', 'deny'] as const).flatMap((list) =>
      (models[list] ?? []).flatMap((text, nth): readonly Reference[] => {
        const parts = text.split('/')
        if (text.includes('*') || parts.length > 2) return []
        const [name = '', of = namespace] = parts.toReversed()
        return [{ kind: 'ModelRoute', namespace: of, name, field: `spec.rules[${index}].models.${list}[${nth}]` }]
      }),
    ),
  )
}

function ruleProblem({
  metadata: { namespace = '', name },
  spec: { rules },
}: GuardrailPolicyObject): string | undefined {
  try {
    compileGuard([{ namespace, name, rules }])
    return undefined
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error
    return `spec${toField(error.pointer)} ${error.detail}.`
  }
}

// In the field notation of `kubectl explain` and the API server: `.rules[0].regex.patterns[1]`.
function toField(pointer: string): string {
  return pointer.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
}

function denied(reason: string, message: string): ConditionValue {
  return { type: 'Accepted', status: 'False', reason, message }
}
