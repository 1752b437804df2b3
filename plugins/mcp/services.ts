import type { Core } from '#core/plugin/core-services.ts'
import { createWithSession } from './client/session.ts'
import { createDiscoveries } from './discovery/discoveries.ts'
import type { Discoveries } from './discovery/discoveries.ts'
import { discover } from './discovery/discover.ts'
import type { McpSettings } from './settings.ts'

/** Services of the plugin, for its slots. */
export interface McpServices {
  readonly core: Core
  readonly settings: McpSettings
  readonly discoveries: Discoveries
  close(): Promise<void>
}

// A session needs three requests and its manifest; a page of tools is one more request.
const limits = { maxBytes: 1024 * 1024, maxRequests: 32 }
const most = { total: 16, perNamespace: 2 }
const WAIT_MS = 500

/** Creates the services, without I/O. */
export function createServices(core: Core, settings: McpSettings): McpServices {
  const dispatcher = core.outbound.open({ connections: most.total, keepAliveMs: 1_000 })
  const withSession = createWithSession({ ...limits, dispatcher, version: core.version })
  return {
    core,
    settings,
    discoveries: createDiscoveries({ read: (key) => discover(withSession, key), most, waitMs: WAIT_MS }),
    close: () => dispatcher.destroy(),
  }
}
