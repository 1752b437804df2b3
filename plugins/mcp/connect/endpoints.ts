import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseRef } from '#core/kube/names.ts'
import { nothing } from '#schemas/api/common.ts'
import {
  ConnectMcpServerBody,
  ConnectedMcpServer,
  McpServerReferences,
  McpWriteQuery,
  OrgCredentialBody,
} from '#schemas/api/mcp.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { toManifestTool } from '../manifest/shown-tool.ts'
import { connectServer } from './connect-server.ts'
import type { ConnectServerOptions } from './connect-server.ts'
import { readServerReferences } from './references.ts'
import { setCredential } from './set-credential.ts'

// No intent: each act changes the object, which the informer records, and denials are counted by minute.
const kind = { resourceKind: McpServer.kind } as const

const examples = {
  connect: {
    open: {
      summary: 'A server without a credential',
      value: { namespace: 'demo', name: 'docs', url: 'https://docs.example.com/mcp' },
    },
    token: {
      summary: 'A server with a bearer token',
      value: {
        namespace: 'demo',
        name: 'weather',
        url: 'https://tools.example.com/mcp',
        credential: { kind: 'bearer', value: 'example-3f9a' },
      },
    },
    granted: {
      summary: 'A server to which each person grants access',
      value: { namespace: 'demo', name: 'mail', url: 'https://mail.example.com/mcp', credential: { kind: 'oauth' } },
    },
  },
  credential: {
    header: {
      summary: 'A value in a header',
      value: {
        namespace: 'demo',
        server: 'weather',
        credential: { kind: 'header', header: 'x-api-key', value: 'example-7c1b' },
      },
    },
  },
}

const example = {
  apiVersion: McpServer.apiVersion,
  kind: McpServer.kind,
  metadata: {
    name: 'weather',
    namespace: 'demo',
    uid: '6f1c2a90-2f5e-4d1b-9c53-0b7d1c9e4a11',
    resourceVersion: '4711',
  },
  spec: {
    url: 'https://tools.example.com/mcp',
    auth: { kind: 'bearer' },
    secretRef: { name: 'weather-mcp-credential', key: 'credential' },
  },
  manifest: {
    digest: `sha256:${'6f1c2a90'.repeat(8)}`,
    protocolVersion: '2025-11-25',
    tools: [{ name: 'forecast', description: 'Returns the weather of a city.', inputSchema: { type: 'object' } }],
  },
  handshake: [
    { step: 'resolve', ms: 3 },
    { step: 'connect', ms: 84 },
    { step: 'initialize', ms: 0 },
    { step: 'list_tools', ms: 21 },
  ],
}

/** Connects a server after a handshake. */
export function connectEndpoint(options: ConnectServerOptions): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/connect',
    id: 'connectMcpServer',
    summary: 'Connect an MCP server: its tools are listed, and its credential is stored in a Secret.',
    docs: { examples: examples.connect, response: example },
    authz: { kind: 'kube', verb: 'create', resource: McpServer.plural },
    audit: { action: 'connect', ...kind },
    query: McpWriteQuery,
    body: ConnectMcpServerBody,
    response: { 201: ConnectedMcpServer },
    handle: async ({ caller, body, query, signal, reply }) => {
      const connected = await connectServer(options, caller, body, { dryRun: query.dryRun === 'All', signal })
      const { server, manifest, steps } = connected
      reply.code(201)
      const shown = manifest && { ...manifest, tools: manifest.tools.map(toManifestTool) }
      return { ...server, ...(shown === undefined ? {} : { manifest: shown }), handshake: [...steps] }
    },
  })
}

/** Sets the credential of a server. */
export function credentialEndpoint(): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/org-credential',
    id: 'setMcpCredential',
    summary: 'Set the credential with which the organization calls an MCP server. It is returned by no operation.',
    docs: { examples: examples.credential },
    authz: { kind: 'kube', verb: 'patch', resource: McpServer.plural },
    audit: { action: 'connect', ...kind },
    query: McpWriteQuery,
    body: OrgCredentialBody,
    response: { 204: nothing },
    handle: async ({ caller, body, query, signal }) => {
      await setCredential(caller, body, { dryRun: query.dryRun === 'All', signal })
    },
  })
}

/** Lists what refers to a server. */
export function referencesEndpoint(): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/mcpservers/:ns/:name/references',
    id: 'listMcpServerReferences',
    summary: 'List the bindings, registries and agents that use an MCP server.',
    authz: { kind: 'kube', verb: 'get', resource: McpServer.plural },
    response: { 200: McpServerReferences },
    handle: async ({ caller, cursors, directory, signal, params }) =>
      readServerReferences(
        { caller, cursors, directory, signal },
        parseRef({ namespace: params.ns, name: params.name }, [':ns', ':name']),
      ),
  })
}
