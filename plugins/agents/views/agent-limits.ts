import type { EffectiveLimit } from '#schemas/api/effective-rules.ts'
import { AGENT_DEFAULTS, AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

const names = ['timeout', 'maxSteps', 'maxDelegationDepth', 'concurrency'] as const

/** Limits of the runs of an agent: those of its spec, and the defaults of absent ones. Pure. */
export function limitsOf({ metadata, spec: { limits = {} } }: AgentDeploymentObject): readonly EffectiveLimit[] {
  const { namespace = null, name } = metadata
  return names.map((limit) => {
    const given = limits[limit]
    const field = `spec.limits.${limit}`
    return given === undefined
      ? { name: limit, value: AGENT_DEFAULTS[limit], from: { kind: 'Default', namespace: null, name: null, field } }
      : { name: limit, value: given, from: { kind: AgentDeployment.kind, namespace, name, field } }
  })
}
