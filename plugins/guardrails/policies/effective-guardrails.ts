import type { Caller } from '#core/cluster/caller.ts'
import { isLabel, isName, parseLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { EffectivePart } from '#plugins/agents/contract/points.ts'
import type { EffectiveGuardrail } from '#schemas/api/effective-rules.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject } from '#schemas/crds/guardrail-policy.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import { listWide } from './policy-source.ts'
import type { NamespacedName } from './policy-source.ts'

/** The policies that apply to an agent, in the order of launchers: those of its spec, then those of its namespace. Read as the caller. */
export async function effectiveGuardrails(agent: AgentDeploymentObject, caller: Caller): Promise<EffectivePart> {
  const { namespace = '', name } = agent.metadata
  const named = await Promise.all(
    (agent.spec.guardrails ?? []).map(async (ref, index): Promise<EffectiveGuardrail> => {
      const policy = { namespace: ref.namespace ?? namespace, name: ref.name }
      const field = `spec.guardrails[${index}]`
      return {
        ...policy,
        ...(await readNamed(caller, namespace, policy)),
        from: { ...fromAgent, namespace, name, field },
      }
    }),
  )
  const wide = await orDenied(listWide(caller.cluster, parseLabel('namespace', namespace)))
  const known = new Set(named.map(keyOf))
  const others = (wide ?? []).map(toWide).filter((one) => !known.has(keyOf(one)))
  return { guardrails: [...named, ...others], namespaceGuardrails: wide !== undefined }
}

const fromAgent = { kind: AgentDeployment.kind }

async function readNamed(
  caller: Caller,
  own: string,
  { namespace, name }: NamespacedName,
): Promise<Pick<EffectiveGuardrail, 'found' | 'rules'>> {
  if (!isLabel(namespace) || !isName(name)) return { found: false, rules: null }
  try {
    const policy = await caller.cluster.get<GuardrailPolicyObject>(GuardrailPolicy, { namespace, name })
    if (!mayRefer(own, namespace, policy.spec.allowedNamespaces)) return { found: false, rules: null }
    return { found: true, rules: rulesOf(policy) }
  } catch (error) {
    if (isStatus(error, 404)) return { found: false, rules: null }
    if (isStatus(error, 403)) return { found: null, rules: null }
    throw error
  }
}

function toWide(policy: GuardrailPolicyObject): EffectiveGuardrail {
  const { namespace = '', name } = policy.metadata
  const from = { kind: GuardrailPolicy.kind, namespace, name, field: 'spec.appliesTo' }
  return { namespace, name, found: true, rules: rulesOf(policy), from }
}

function rulesOf({ spec }: GuardrailPolicyObject): { name: string; action: string }[] {
  return spec.rules.map(({ name, action }) => ({ name, action }))
}

function keyOf({ namespace, name }: NamespacedName): string {
  return `${namespace}/${name}`
}

async function orDenied<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (isStatus(error, 403)) return undefined
    throw error
  }
}
