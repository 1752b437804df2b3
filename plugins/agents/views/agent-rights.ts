import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { Caller, CallerRule, CallerRules } from '#core/cluster/caller.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { AgentRights } from '#schemas/api/agent-views.ts'
import { GROUP } from '#schemas/names/group.ts'

type Right = Exclude<keyof AgentRights, 'complete'>

/** A verb on a resource, in our group by default. */
interface Act {
  readonly verb: string
  readonly resource: string
  readonly group?: string
  /** The act is on the agent itself: a rule may name it. */
  readonly of?: 'agent'
}

const acts: Readonly<Record<Right, Act>> = {
  update: { verb: 'update', resource: 'agentdeployments', of: 'agent' },
  patch: { verb: 'patch', resource: 'agentdeployments', of: 'agent' },
  delete: { verb: 'delete', resource: 'agentdeployments', of: 'agent' },
  invoke: { verb: 'create', resource: 'agentdeployments/invoke', of: 'agent' },
  scale: { verb: 'patch', resource: 'agentdeployments/scale', of: 'agent' },
  readLogs: { verb: 'get', resource: 'pods/log', group: '' },
  listVersions: { verb: 'list', resource: 'controllerrevisions', group: 'apps' },
  listRuns: { verb: 'list', resource: 'runs' },
  cancelRuns: { verb: 'update', resource: 'runs' },
}

/** What the caller may do with agents of some namespaces: one review per namespace. */
export async function readAgentRights(
  caller: Caller,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<(namespace: string, name: string) => AgentRights> {
  const read = await mapConcurrently(namespaces, async (namespace) => {
    const rules = await caller.rulesIn(parseLabel('namespace', namespace), signal)
    return [namespace, rules] as const
  })
  const known = new Map(read)
  return (namespace, name) => toRights(known.get(namespace) ?? { complete: false, rules: [] }, name)
}

function toRights({ complete, rules }: CallerRules, agent: string): AgentRights {
  const rights = Object.fromEntries(Object.entries(acts).map(([right, act]) => [right, allows(rules, act, agent)]))
  return { complete, ...(rights as Record<Right, boolean>) }
}

// As RBAC does. A rule for objects of some names does not allow acts on other objects, such as pods.
function allows(rules: readonly CallerRule[], { verb, resource, group = GROUP, of }: Act, agent: string): boolean {
  const [, subresource] = resource.split('/')
  const resources = ['*', resource, ...(subresource === undefined ? [] : [`*/${subresource}`])]
  return rules.some(
    (rule) =>
      hasOne(rule.verbs, ['*', verb]) &&
      hasOne(rule.groups, ['*', group]) &&
      hasOne(rule.resources, resources) &&
      (rule.names === undefined || (of === 'agent' && rule.names.includes(agent))),
  )
}

function hasOne(given: readonly string[], wanted: readonly string[]): boolean {
  return given.some((one) => wanted.includes(one))
}
