import { createHash } from 'node:crypto'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { hasTag } from '#core/http/reply/etag.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { AgentReferences } from '#plugins/agents/contract/points.ts'
import { nothing } from '#schemas/api/common.ts'
import { Topology, TopologyQuery } from '#schemas/api/topology.ts'
import { around, cutGraph } from './cut-graph.ts'
import { nodeName } from './graph-kinds.ts'
import { readCounts } from './read-counts.ts'
import type { CountSources } from './read-counts.ts'
import { readGraphObjects } from './read-objects.ts'
import { toGraph } from './to-graph.ts'
import type { Graph } from './to-graph.ts'

/** Services of the graph. */
export interface TopologyServices extends CountSources {
  readonly references: () => AgentReferences
}

/** Nodes of one response. */
const MOST_NODES = 200
const DEFAULT_DEPTH = 3

/** The graph of agents and of what they use, by the references between them, as far as the caller may list it. */
export function topologyEndpoint(services: TopologyServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/topology',
    id: 'getTopology',
    summary:
      'Get the graph of agents, registries, routes, providers, tools and knowledge, as far as the caller can list it.',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    authz: { kind: 'kube', verb: 'list', resource: 'agentdeployments' },
    query: TopologyQuery,
    response: { 200: Topology, 304: nothing },
    handle: async ({ caller, cursors, directory, query, signal, headers, reply }) => {
      const { registry, depth, ...list } = query
      const center = parseCenter(registry, depth)
      const call = { caller, cursors, directory, signal, query: list }
      const { objects, isCut } = await readGraphObjects(call, services.references())
      const graph = toGraph(objects, await readCounts(services, caller, objects))
      const { nodes, edges, omitted } = cutGraph(shownOf(graph, center, depth), MOST_NODES)
      const truncated = isCut || Object.keys(omitted).length > 0
      const shown = { nodes, edges, omitted, truncated, ...(query.scope === undefined ? {} : { scope: query.scope }) }
      const tag = `"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url')}"`
      reply.header('etag', tag)
      if (!hasTag(headers['if-none-match'], tag)) return shown
      reply.code(304)
      return undefined
    },
  })
}

function shownOf(graph: Graph, center: string | undefined, depth = DEFAULT_DEPTH): Graph {
  if (center === undefined) return graph
  if (!graph.nodes.some(({ id }) => id === center)) throw new Fail('not_found', 'The graph has no such registry.')
  return around(graph, center, depth)
}

function parseCenter(registry: string | undefined, depth: number | undefined): string | undefined {
  if (registry === undefined) {
    if (depth !== undefined) throw refuse('?depth', 'needs registry')
    return undefined
  }
  const [namespace = '', name = '', ...more] = registry.split('/')
  if (more.length > 0 || !isLabel(namespace) || !isName(name))
    throw refuse('?registry', 'must be namespace/name of an AgentRegistry')
  return nodeName('AgentRegistry', namespace, name).id
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_query', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}
