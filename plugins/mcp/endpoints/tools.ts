import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseLabel } from '#core/kube/names.ts'
import { ToolCatalog, ToolQuery } from '#schemas/api/tools.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'

// Servers per page: the manifest of each may have 256 KiB.
const SERVERS_PER_PAGE = 20

/** The catalog of accepted tools, of the servers that the caller may list. */
export function toolsEndpoint(url: '/tools' | '/catalog', id: string): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url,
    id,
    summary: 'List the accepted tools of MCP servers.',
    authz: { kind: 'kube', verb: 'list', resource: 'mcpservers' },
    query: ToolQuery,
    response: { 200: ToolCatalog },
    handle: async ({ caller, cursors, query, signal }) => {
      const named = query.namespace ?? ''
      const namespace = named === '' ? undefined : parseLabel('?namespace', named)
      const filter = [namespace ?? '']
      const position = query.cursor === undefined ? undefined : cursors.open(query.cursor, filter)
      const page = await caller.cluster.list<McpServerObject>(McpServer, {
        ...(namespace === undefined ? {} : { namespace }),
        ...(typeof position === 'string' ? { continue: position } : {}),
        limit: SERVERS_PER_PAGE,
        signal,
      })
      return {
        items: page.items.flatMap(toItems),
        nextCursor: page.continue === undefined ? null : cursors.seal(page.continue, filter),
      }
    },
  })
}

function toItems({ metadata, status }: McpServerObject) {
  const ready = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
  const server = { namespace: metadata.namespace ?? '', name: metadata.name, ready }
  return (status?.tools ?? []).map(({ inputSchema, outputSchema, ...tool }) => ({
    server,
    ...tool,
    inputSchema: toSchema(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: toSchema(outputSchema) }),
  }))
}

// Written by the manager, from schemas that it has checked.
function toSchema(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>
}
