import { accessVerbs, statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'

const server = {
  url: 'https://tools.example.com/mcp',
  description: 'Tools of the support team.',
  auth: { kind: 'bearer' },
  secretRef: { name: 'tools', key: 'token' },
  acceptedManifest: `sha256:${'0'.repeat(64)}`,
  refreshInterval: '10m',
} as const

/** Servers of tools. Their creation is a route of its own, which a setting gates. */
export const serverKind = crud(McpServer, { verbs: ['list', 'get', 'update', 'delete'], sample: server })

/** The route that registers a server. */
export const createServerEndpoints = crud(McpServer, { verbs: ['create'], sample: server }).endpoints

/** Bindings of tools to agents, with CRUD routes. */
export const bindingKind = crud(McpToolBinding, {
  verbs: ['list', 'create', 'get', 'update', 'delete'],
  sample: {
    serverRef: { name: 'tools' },
    description: 'Tickets of customers.',
    allow: ['find_ticket', 'close_ticket'],
    requireApproval: ['close_ticket'],
    approveByHints: 'destructive',
    timeout: '30s',
    allowedNamespaces: ['team-a'],
  },
})

/** Registries of bindings, with CRUD routes. */
export const toolRegistryKind = crud(ToolRegistry, {
  verbs: ['list', 'create', 'get', 'update', 'delete'],
  sample: {
    description: 'Tools of the support team.',
    bindings: [{ name: 'tickets' }, { name: 'calendar' }],
    allowedNamespaces: ['team-a'],
  },
})

/** Rights of the manager, which reads manifests with the tokens of the servers, and of the state role, which calls tools with them. */
export const mcpAccess: readonly AccessRule[] = [
  {
    resource: 'mcpservers/status',
    reason: 'Tools and conditions of servers; the state role writes the newest failure of a call.',
    manager: statusVerbs,
    state: ['patch'],
  },
  { resource: 'mcptoolbindings/status', reason: 'Tools and conditions of bindings.', manager: statusVerbs },
  { resource: 'toolregistries/status', reason: 'Tools and conditions of registries.', manager: statusVerbs },
  {
    group: '',
    resource: 'secrets',
    reason: 'Tokens of MCP servers, by name only; one without the label mesh.dev/mcp-credential=true is refused.',
    manager: ['get'],
    state: ['get'],
  },
  {
    group: '',
    resource: 'secrets',
    reason: 'Credentials of MCP servers: the platform stores a pasted one as the caller.',
    developer: accessVerbs,
  },
  {
    resource: 'mcpapprovals',
    kind: 'McpApproval',
    reason: 'Virtual resource: exists only in access reviews.',
    viewer: ['list'],
    operator: ['approve'],
  },
  {
    resource: 'mcpservers',
    reason: 'Publishing a server as a connector: a verb of access reviews.',
    operator: ['publish'],
  },
  {
    resource: 'mcpgrants',
    kind: 'McpGrant',
    reason:
      'Virtual resource: exists only in access reviews. Each person lists and deletes its own grants without a right.',
    developer: ['create'],
  },
  { resource: 'mcpservers', state: ['get'] },
  { resource: 'mcptoolbindings', state: ['get'] },
  { resource: 'toolregistries', state: ['get'] },
  { resource: 'agentdeployments', state: ['get'] },
]
