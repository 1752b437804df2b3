import { definePlugin } from '#core/plugin/plugin.ts'
import { bindingReconciler } from './bindings/reconcilers.ts'
import { mcpRoutes } from './routes.ts'
import { approvalsBegan, manifestApproved, manifestRejected, serverPublished } from './contract/events.ts'
import { mcpErrors } from './contract/errors.ts'
import { bindingKind, mcpAccess, serverKind, toolRegistryKind } from './kinds.ts'
import { serversProjection } from './projections.ts'
import { toolRegistryReconciler } from './registries/reconcilers.ts'
import { serverReconciler } from './reconcilers.ts'
import { createServices } from './services.ts'
import { mcpSettings } from './contract/settings.ts'

/** Servers of the Model Context Protocol: their tools, read and pinned. */
export const mcp = definePlugin({
  contract: 1,
  name: 'mcp',
  summary: 'Servers of tools that speak the Model Context Protocol, with pinned manifests.',
  settings: mcpSettings,
  migrations: new URL('./migrations/', import.meta.url),
  events: [manifestApproved, manifestRejected, approvalsBegan, serverPublished],
  settingsFrom: [{ from: 'bff.mcp.enabled', to: 'enabled' }],
  kinds: [serverKind, bindingKind, toolRegistryKind],
  access: mcpAccess,
  errors: mcpErrors,
  enforces: [
    { kind: 'AgentDeployment', field: 'tools[].bindingRef' },
    { kind: 'AgentDeployment', field: 'tools[].registryRef' },
  ],
  create: createServices,
  routes: mcpRoutes,
  stateRoutes: ({ broker }, state) => broker(state),
  projections: () => [serversProjection],
  reconcilers: ({ core, discoveries, approvals }, { cluster }) => [
    serverReconciler({ cluster, discoveries, approvals, now: core.now }),
    bindingReconciler({ cluster, now: core.now }),
    toolRegistryReconciler({ cluster, now: core.now }),
  ],
  close: ({ close }) => close(),
  console: [
    { id: 'mcpservers', title: 'MCP servers', section: 'Connect', path: '/mcpservers', capability: 'mcp' },
    { id: 'tools', title: 'Tools', section: 'Connect', path: '/tools', capability: 'mcp.catalog' },
  ],
})
