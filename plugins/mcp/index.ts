import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { bindingReconciler } from './bindings/reconcilers.ts'
import { mcpRoutes } from './routes.ts'
import { mcpConsumers } from './consumers.ts'
import { mcpErrors } from './contract/errors.ts'
import {
  approvalsBegan,
  grantCreated,
  grantRevoked,
  manifestApproved,
  manifestRejected,
  serverPublished,
} from './contract/events.ts'
import { toolReplacement } from './contract/points.ts'
import { createGrantTokens } from './oauth/tokens/grant-tokens.ts'
import { keepClientSecret } from './oauth/server/configured-clients.ts'
import { grantEraser, grantPruner } from './oauth/remove-grants.ts'
import { bindingKind, mcpAccess, serverKind, toolRegistryKind } from './kinds.ts'
import { serversProjection } from './projections.ts'
import { toolRegistryReconciler } from './registries/reconcilers.ts'
import { serverReconciler } from './reconcilers.ts'
import { createServices } from './services.ts'
import { mcpSettings } from './contract/settings.ts'

const runsOrNone = optional(runs)

/** Servers of the Model Context Protocol: their tools, read and pinned. */
export const mcp = definePlugin({
  contract: 1,
  name: 'mcp',
  summary: 'Servers of tools that speak the Model Context Protocol, with pinned manifests.',
  needs: { runs: runsOrNone },
  settings: mcpSettings,
  migrations: new URL('./migrations/', import.meta.url),
  events: [manifestApproved, manifestRejected, approvalsBegan, serverPublished, grantCreated, grantRevoked],
  settingsFrom: [{ from: 'bff.mcp.enabled', to: 'enabled' }],
  // Tokens of persons are sealed where a consent ends, and opened where tools are called and manifests are read.
  keys: { bff: { seals: ['kek'] }, state: { seals: ['kek'] }, manager: { seals: ['kek'] } },
  kinds: [serverKind, bindingKind, toolRegistryKind],
  access: mcpAccess,
  errors: mcpErrors,
  points: [toolReplacement],
  enforces: [
    { kind: 'AgentDeployment', field: 'tools[].bindingRef' },
    { kind: 'AgentDeployment', field: 'tools[].registryRef' },
  ],
  create: createServices,
  contributions: () => [contribute(eraser, grantEraser), contribute(pruner, grantPruner)],
  routes: mcpRoutes,
  stateRoutes: ({ broker }, state) => broker(state, state.system(runsOrNone)),
  projections: () => [serversProjection],
  consumers: mcpConsumers,
  reconcilers: ({ core, discoveries, approvals, grants }, { cluster }) => [
    serverReconciler({
      cluster,
      discoveries,
      approvals,
      grantTokens: grants && createGrantTokens(grants),
      keepClientSecret: grants && ((client, secret) => keepClientSecret(grants, client, secret)),
      now: core.now,
    }),
    bindingReconciler({ cluster, now: core.now }),
    toolRegistryReconciler({ cluster, now: core.now }),
  ],
  close: ({ close }) => close(),
  console: [
    { id: 'mcpservers', title: 'MCP servers', section: 'Connect', path: '/mcpservers', capability: 'mcp' },
    { id: 'connectors', title: 'Connectors', section: 'Connect', path: '/connectors', capability: 'mcp.catalog' },
    { id: 'tools', title: 'Tools', section: 'Connect', path: '/tools', capability: 'mcp.catalog' },
    {
      id: 'mcpapprovals',
      title: 'Tool approvals',
      section: 'Connect',
      path: '/mcpapprovals',
      capability: 'mcp.approvals',
    },
    { id: 'mcpgrants', title: 'My consents', section: 'Connect', path: '/mcpgrants', capability: 'mcp.grants' },
  ],
})
