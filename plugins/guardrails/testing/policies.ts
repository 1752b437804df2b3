import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject, GuardrailPolicySpec, GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { API_VERSION } from '#schemas/names/group.ts'

/** The word that the rules of tests match. */
export const word = 'MAGENTA-7'

/** A rule that matches {@link word}. */
export function wordRule(action: GuardrailRule['action'], stages?: GuardrailRule['stages']): GuardrailRule {
  return {
    name: action.replaceAll('_', '-'),
    action,
    ...(stages === undefined ? {} : { stages }),
    regex: { patterns: ['MAGENTA-[0-9]'] },
  }
}

/** Writes a policy; resolves with the stored one. */
export async function applyPolicy(
  admin: KubeClient,
  namespace: string,
  name: string,
  spec: GuardrailPolicySpec,
): Promise<GuardrailPolicyObject> {
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
  const body: GuardrailPolicyObject = { apiVersion: API_VERSION, kind: 'GuardrailPolicy', metadata: ref, spec }
  return admin.patch<GuardrailPolicyObject>(GuardrailPolicy, ref, { type: 'apply', body, force: true })
}
