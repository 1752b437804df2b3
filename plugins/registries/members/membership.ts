import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { DEFAULT_ROLE } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject, AgentRegistrySpec, RegistryMember } from '#schemas/crds/agent-registry.ts'
import { MAX_AMP_DEPTH } from '#schemas/launcher/envelope.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { mayRefer } from '#schemas/kinds/references.ts'

/** Whether an agent is a member: its spec has the registry, and the registry admits its namespace. */
export function isMember(agent: AgentDeploymentObject, registry: AgentRegistryObject): boolean {
  const { namespace: from = '' } = agent.metadata
  const { namespace = '', name } = registry.metadata
  const names = (agent.spec.registries ?? []).some((one) => one.name === name && (one.namespace ?? from) === namespace)
  return names && mayRefer(from, namespace, registry.spec.allowedNamespaces)
}

/** Role of a member: the first role that lists it. */
export function roleOf({ metadata, spec }: AgentRegistryObject, agent: AgentName): string {
  const lists = (one: { readonly name: string; readonly namespace?: string }): boolean =>
    one.name === agent.name && (one.namespace ?? metadata.namespace) === agent.namespace
  return (spec.roles ?? []).find(({ agents }) => agents.some(lists))?.name ?? DEFAULT_ROLE
}

/** Whether members of a role may call members of another one. */
export function mayCall({ calls }: Pick<AgentRegistrySpec, 'calls'>, from: string, to: string): boolean {
  const has = (roles: readonly string[], role: string): boolean => roles.includes('*') || roles.includes(role)
  return calls === undefined || calls.some((rule) => has(rule.from, from) && has(rule.to, to))
}

/** Maximum length of a chain of calls in a registry. */
export function depthOf({ maxDepth }: Pick<AgentRegistrySpec, 'maxDepth'>): number {
  return Math.min(maxDepth ?? MAX_AMP_DEPTH, MAX_AMP_DEPTH)
}

/**
 * The other members under the names by which an agent calls them (E5). Members of its own namespace take precedence. A name in several other
 * namespaces is omitted, so that no agent can take the name of another.
 */
export function callable(members: readonly RegistryMember[], self: AgentName): readonly RegistryMember[] {
  const others = members.filter((one) => one.name !== self.name || one.namespace !== self.namespace)
  const byName = Map.groupBy(others, ({ name }) => name)
  return [...byName.values()].flatMap((same) => {
    const own = same.find(({ namespace }) => namespace === self.namespace)
    return own === undefined ? (same.length === 1 ? same : []) : [own]
  })
}
