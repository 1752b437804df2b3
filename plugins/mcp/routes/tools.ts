import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { readObjects } from '#core/http/resource/resource-list.ts'
import { ToolCatalog, ToolQuery } from '#schemas/api/tools.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { toManifestTool } from '../manifest/shown-tool.ts'

// Servers per page: the manifest of each may have 256 KiB.
const SERVERS_PER_PAGE = 20

/** The catalog of accepted tools of the servers that the caller may list. */
export function toolsEndpoint(url: '/tools' | '/catalog', id: string): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url,
    id,
    summary: 'List the accepted tools of MCP servers.',
    authz: { kind: 'kube', verb: 'list', resource: 'mcpservers' },
    query: ToolQuery,
    response: { 200: ToolCatalog },
    handle: async ({ caller, cursors, directory, query, signal }) => {
      const { items, ...page } = await readObjects<McpServerObject>(McpServer, {
        caller,
        cursors,
        directory,
        signal,
        query: { ...query, limit: SERVERS_PER_PAGE },
      })
      return { ...page, items: items.flatMap(toItems) }
    },
  })
}

function toItems({ metadata, status }: McpServerObject) {
  const ready = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
  const server = { namespace: metadata.namespace ?? '', name: metadata.name, ready }
  return (status?.tools ?? []).map((tool) => ({ server, ...toManifestTool(tool) }))
}
