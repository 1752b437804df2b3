import type { Store } from '#core/event-store/store.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Mountable, Part } from '#core/http/endpoint/mountable.ts'
import { approvalEndpoints } from './approvals/endpoints.ts'
import { connectorsEndpoint, publishEndpoint } from './catalog/endpoints.ts'
import { createFindConnector } from './catalog/find-connector.ts'
import { connectEndpoint, credentialEndpoint, referencesEndpoint } from './connect/endpoints.ts'
import { createServerEndpoints } from './kinds.ts'
import { grantsPart } from './oauth/endpoints.ts'
import type { McpServices } from './services.ts'
import { toolsEndpoint } from './routes/tools.ts'

/** Routes of the plugin: those that register servers, those of the catalog, approvals, grants, and the rest. */
export function mcpRoutes(services: McpServices): readonly Mountable[] {
  const { shakeHands, core, grants, settings, findLastWriter } = services
  // A part without a store is unwired: its routes are not called.
  const store = core.store as Store
  return [
    gatedPart(services, 'mcp.register', [
      ...createServerEndpoints,
      connectEndpoint({ shakeHands, findConnector: createFindConnector(core.store) }),
      credentialEndpoint(),
    ]),
    gatedPart(services, 'mcp.catalog', [
      toolsEndpoint('/tools', 'listTools'),
      toolsEndpoint('/catalog', 'listCatalog'),
      connectorsEndpoint(core.store),
    ]),
    storedPart(services, gatedPart(services, 'mcp.publish', [publishEndpoint(store)])),
    storedPart(services, {
      capability: 'mcp.approvals',
      wiring: 'ready',
      endpoints: approvalEndpoints({
        store,
        findLastWriter: findLastWriter ?? (async () => undefined),
        isRequired: settings.requireAcceptance,
      }),
    }),
    referencesEndpoint(),
    grantsPart({ services: grants, publicUrl: core.publicUrl }),
  ]
}

// The interface gates these routes by one setting, and answers 501.
function gatedPart({ settings }: McpServices, capability: string, endpoints: readonly AnyEndpoint[]): Part {
  return {
    capability,
    wiring: settings.enabled ? 'ready' : 'unwired',
    because: 'MCP servers are not registered over this API (setting bff.mcp.enabled).',
    setting: 'bff.mcp.enabled',
    endpoints,
  }
}

function storedPart({ core }: McpServices, part: Part): Part {
  if (core.store !== undefined || part.wiring !== 'ready') return part
  const { capability, endpoints } = part
  return { ...(capability === undefined ? {} : { capability }), wiring: 'unwired', setting: 'DATABASE_URL', endpoints }
}
