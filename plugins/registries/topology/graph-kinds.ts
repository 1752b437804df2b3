import type { TypedObject } from '#schemas/kinds/object.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { TopologyEdge, TopologyNode } from '#schemas/api/topology.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'

/** Name of the kind of a node. */
export type NodeKind = TopologyNode['kind']

/** Kinds of the nodes besides agents, which the route lists first. */
export const otherKinds: readonly AnyKind[] = [
  AgentRegistry,
  ModelRoute,
  ModelProvider,
  McpToolBinding,
  McpServer,
  KnowledgeBase,
]

const byName = new Map([AgentDeployment, ...otherKinds].map((kind) => [kind.kind, kind as AnyKind]))

/** The kind of a node by its name; undefined for another kind. */
export function findNodeKind(name: string): AnyKind | undefined {
  return byName.get(name)
}

/** Kind, namespace and name of an object of the graph. */
export interface NodeName {
  readonly id: string
  readonly kind: NodeKind
  readonly namespace: string
  readonly name: string
}

/** An object of the graph; without one, the object does not exist. */
export interface GraphObject extends NodeName {
  readonly object?: TypedObject & { readonly status?: unknown }
}

/** Name of an object. The kind is one of `findNodeKind`. */
export function nodeName(kind: string, namespace: string, name: string): NodeName {
  return { id: `${kind}/${namespace}/${name}`, kind: kind as NodeKind, namespace, name }
}

/** What an edge between two kinds means. */
export function edgeKind(from: NodeKind, to: NodeKind): TopologyEdge['kind'] {
  if (from === 'AgentRegistry' || to === 'AgentRegistry') return 'member'
  if (from === 'AgentDeployment' && to === 'AgentDeployment') return 'calls'
  return from === 'ModelRoute' ? 'routes' : 'uses'
}
