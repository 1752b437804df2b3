import { toConditions } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import { DEFAULT_ROLE, MAX_MEMBERS } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject, AgentRegistryStatus, RegistryMember } from '#schemas/crds/agent-registry.ts'

/** Status of a registry with its members. Pure. */
export function toRegistryStatus(
  registry: AgentRegistryObject,
  members: readonly RegistryMember[],
  now: Date,
): AgentRegistryStatus {
  const values = [acceptedOf(registry), readyOf(members)]
  return {
    observedGeneration: registry.metadata.generation ?? 0,
    members: members.slice(0, MAX_MEMBERS),
    memberCount: members.length,
    conditions: toConditions(registry, values, now),
  }
}

function acceptedOf({ spec }: AgentRegistryObject): ConditionValue {
  const known = new Set([DEFAULT_ROLE, '*', ...(spec.roles ?? []).map(({ name }) => name)])
  const named = (spec.calls ?? []).flatMap(({ from, to }) => [...from, ...to])
  const unknown = [...new Set(named.filter((role) => !known.has(role)))]
  if (unknown.length === 0)
    return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'The registry can be used.' }
  const message = `spec.calls names roles that spec.roles does not have: ${unknown.join(', ')}.`
  return { type: 'Accepted', status: 'False', reason: 'UnknownRole', message }
}

function readyOf(members: readonly RegistryMember[]): ConditionValue {
  const ready = (status: 'True' | 'False', reason: string, message: string): ConditionValue => ({
    type: 'Ready',
    status,
    reason,
    message,
  })
  if (members.length > MAX_MEMBERS)
    return ready(
      'False',
      'TooManyMembers',
      `${members.length} agents name the registry; the oldest ${MAX_MEMBERS} are members.`,
    )
  const ambiguous = ambiguousNames(members)
  if (ambiguous.length > 0)
    return ready(
      'True',
      'AmbiguousNames',
      `Several namespaces have agents of these names, which only agents of their own namespace reach: ${ambiguous.join(', ')}.`,
    )
  if (members.length < 2) return ready('True', 'TooFewMembers', 'Fewer than two agents are members.')
  return ready('True', 'Ready', `${members.length} agents are members.`)
}

function ambiguousNames(members: readonly RegistryMember[]): readonly string[] {
  const byName = Map.groupBy(members, ({ name }) => name)
  return [...byName].flatMap(([name, same]) => (same.length > 1 ? [name] : [])).slice(0, 20)
}
