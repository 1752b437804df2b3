import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Mountable, Part } from '#core/http/endpoint/mountable.ts'
import { findConnector } from './catalog/find-connector.ts'
import { connectEndpoint, credentialEndpoint, referencesEndpoint } from './connect/endpoints.ts'
import { createServerEndpoints } from './kinds.ts'
import type { McpServices } from './services.ts'
import { toolsEndpoint } from './routes/tools.ts'

/** Routes of the plugin: those that register servers, those of the catalog, and the rest. */
export function mcpRoutes(services: McpServices): readonly Mountable[] {
  const { shakeHands } = services
  return [
    gatedPart(services, 'mcp.register', [
      ...createServerEndpoints,
      connectEndpoint({ shakeHands, findConnector }),
      credentialEndpoint(),
    ]),
    gatedPart(services, 'mcp.catalog', [
      toolsEndpoint('/tools', 'listTools'),
      toolsEndpoint('/catalog', 'listCatalog'),
    ]),
    referencesEndpoint(),
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
