import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Store } from '#core/event-store/store.ts'
import { nothing } from '#schemas/api/common.ts'
import { ConnectorQuery, McpConnectorList, PublishMcpServerBody } from '#schemas/api/mcp-connectors.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { listConnectors } from './list-connectors.ts'
import { publishServer } from './publish.ts'

const examples = {
  publish: {
    summary: 'A server for every namespace',
    value: {
      namespace: 'demo',
      server: 'weather',
      title: 'Weather',
      description: 'Forecasts for every city.',
      tags: ['weather'],
      visibleTo: 'all',
    },
  },
}

/** Lists what can be connected. */
export function connectorsEndpoint(store: Store | undefined): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/mcp/connectors',
    id: 'listMcpConnectors',
    summary: 'List MCP servers that can be connected: published ones that the caller sees, and well-known public ones.',
    authz: {
      kind: 'review',
      verb: 'list',
      resource: McpServer.plural as 'mcpservers',
      namespace: { in: 'scope', none: 'empty' },
    },
    query: ConnectorQuery,
    response: { 200: McpConnectorList },
    handle: async (call) => listConnectors(store, call.access, call),
  })
}

/** Publishes a server as a connector. */
export function publishEndpoint(store: Store): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/publish',
    id: 'publishMcpServer',
    summary: 'Publish an MCP server as a connector, or end its publication.',
    docs: { examples },
    authz: {
      kind: 'review',
      verb: 'publish',
      resource: McpServer.plural as 'mcpservers',
      namespace: { in: 'body', field: 'namespace', absent: 'default' },
    },
    audit: { action: 'publish', resourceKind: McpServer.kind },
    body: PublishMcpServerBody,
    response: { 204: nothing },
    handle: async ({ caller, body, traceparent }) => {
      await publishServer(store, caller, body, { traceparent })
    },
  })
}
