import { isObject } from '#core/json/is-object.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject } from '#schemas/crds/agent-registry.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import { isMember, roleOf } from '../members/membership.ts'

/** An agent with its references. */
export interface PlacedAgent {
  readonly agent: AgentDeploymentObject
  readonly references: readonly Reference[]
}

/** A registry that was listed, or is referenced by an agent; `found` is null if the caller may not read it. */
export interface FoundRegistry {
  readonly namespace: string
  readonly name: string
  readonly found: boolean | null
  readonly registry?: AgentRegistryObject
}

/** A registry with the agents that its roles list. */
export interface LinkedRegistry extends FoundRegistry {
  readonly links: readonly Reference[]
}

interface GraphName {
  readonly kind: 'AgentDeployment' | 'AgentRegistry'
  readonly namespace: string
  readonly name: string
}

/** Nodes and edges of agents and registries. An agent that is only referenced is not a node: the edge shows it. Pure. */
export function toGraph(agents: readonly PlacedAgent[], registries: readonly LinkedRegistry[]) {
  const byName = new Map(registries.map((one) => [`${one.namespace}/${one.name}`, one]))
  const nodes = [
    ...agents.map(({ agent }) => ({ ...nameOf(agent), found: true, ready: readyOf(agent.status) })),
    ...registries.map(({ namespace, name, found, registry }) => ({
      ...named('AgentRegistry', namespace, name),
      found,
      ready: readyOf(registry?.status),
    })),
  ]
  const edges = agents.flatMap(({ agent, references }) =>
    references.flatMap((reference) => {
      const { kind, namespace, name, field } = reference
      if (kind === AgentDeployment.kind)
        return [{ from: nameOf(agent), to: named('AgentDeployment', namespace, name), field, role: null }]
      if (kind !== AgentRegistry.kind) return []
      const registry = byName.get(`${namespace}/${name}`)?.registry
      const role = registry !== undefined && isMember(agent, registry) ? roleOf(registry, nameOf(agent)) : null
      return [{ from: nameOf(agent), to: named('AgentRegistry', namespace, name), field, role }]
    }),
  )
  return { nodes, edges: [...edges, ...registries.flatMap(roleEdges)] }
}

// Includes agents that are not members: the registry shows all agents in its roles.
function roleEdges({ registry, links, ...placed }: LinkedRegistry) {
  if (registry === undefined) return []
  const from = named('AgentRegistry', placed.namespace, placed.name)
  return links
    .filter(({ kind }) => kind === AgentDeployment.kind)
    .map(({ namespace, name, field }) => {
      const to = named('AgentDeployment', namespace, name)
      return { from, to, field, role: roleOf(registry, to) }
    })
}

function nameOf({ metadata: { namespace = '', name } }: AgentDeploymentObject): GraphName {
  return named('AgentDeployment', namespace, name)
}

function named(kind: GraphName['kind'], namespace: string, name: string): GraphName {
  return { kind, namespace, name }
}

function readyOf(status: unknown): boolean | null {
  const conditions: unknown = isObject(status) ? status.conditions : undefined
  const ready = Array.isArray(conditions) ? conditions.find((one) => isObject(one) && one.type === 'Ready') : undefined
  return isObject(ready) ? ready.status === 'True' : null
}
