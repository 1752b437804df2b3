import type { IsApproved } from '#core/guardrails/guard.ts'
import { approvalKey } from '#core/guardrails/messages.ts'
import { verifyGuardProof, guardedHeader } from '#core/guardrails/proof.ts'
import { issuerOf } from '#core/signing/launcher-certificate.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { FilteredCall } from '#plugins/providers/contract/points.ts'
import type { PolicySet } from '../policies/agent-policies.ts'
import { createPolicySource } from '../policies/policy-source.ts'
import type { PolicySource } from '../policies/policy-source.ts'

/** How the policies apply to one call. */
export interface CallPolicies {
  readonly set: PolicySet
  /** A launcher of the agent has applied the rules without an HTTP check. */
  readonly isGuarded: boolean
  /** The call carries a proof that no launcher of its agent has signed. */
  readonly isForged: boolean
  readonly isApproved: IsApproved
}

/** Determines how policies apply to a call. The filters of one call share the result. */
export type FindCallPolicies = (call: FilteredCall, gateway: GatewayContext) => Promise<CallPolicies>

const never: IsApproved = () => false

/** Creates the function. `ttlMs`: how long policies are cached. */
export function createFindApplying(core: Core, ttlMs?: number): FindCallPolicies {
  const sources = new WeakMap<GatewayContext, PolicySource>()
  const found = new WeakMap<FilteredCall, Promise<CallPolicies>>()
  const readProof = createProofReader(core)
  const find = async (call: FilteredCall, gateway: GatewayContext): Promise<CallPolicies> => {
    const source = sources.get(gateway) ?? createPolicySource(gateway.cluster, ttlMs)
    sources.set(gateway, source)
    const set = await policiesOf(source, call)
    const token = call.header(guardedHeader)
    if (token === undefined) return { set, isGuarded: false, isForged: false, isApproved: never }
    return { set, ...(await readProof(token, call, set.digest)) }
  }
  return (call, gateway) => {
    const known = found.get(call) ?? find(call, gateway)
    found.set(call, known)
    return known
  }
}

// For a pod: the policies of its agent. For a role: those of its payer. For a user: those of the called agent, or of the namespace of the route.
function policiesOf(source: PolicySource, { agent, payer, model }: FilteredCall): Promise<PolicySet> {
  if (agent !== undefined) return source.ofAgent(agent)
  if (payer?.agent !== undefined) return source.ofAgent({ ...payer.agent, namespace: payer.namespace })
  if (payer !== undefined) return source.ofNamespace(payer.namespace)
  return model.kind === 'agent' ? source.ofAgent(model) : source.ofNamespace(model.namespace)
}

type ProofResult = Omit<CallPolicies, 'set'>

const notGuarded: ProofResult = { isGuarded: false, isForged: false, isApproved: never }
const forged: ProofResult = { isGuarded: false, isForged: true, isApproved: never }

function createProofReader(core: Core): (token: string, call: FilteredCall, digest: string) => Promise<ProofResult> {
  const issuer = issuerOf(core.keys, core.now)
  return async (token, { agent }, digest) => {
    if (agent === undefined) return forged
    const verdict = await verifyGuardProof(token, { agentUid: agent.uid, digest, issuer })
    if (verdict.kind === 'forged') return forged
    if (verdict.kind === 'stale') return notGuarded
    const approved = new Set(verdict.approved)
    return { isGuarded: true, isForged: false, isApproved: (by) => approved.has(approvalKey(by)) }
  }
}
