import type { Core } from '#core/plugin/core-services.ts'
import { createCircuits } from '../circuits/route-circuits.ts'
import type { Circuits } from '../circuits/route-circuits.ts'
import { createMetering } from '../metering/metering.ts'
import type { Metering } from '../metering/metering.ts'
import { mockAdapter } from '../mock/mock-adapter.ts'
import type { ModelAdapter } from '../contract/adapter.ts'
import { createAnthropicAdapter } from '../anthropic/anthropic-adapter.ts'
import { createOpenAiAdapter } from '../openai/openai-adapter.ts'
import { createTargetReports } from '../reports/target-reports.ts'
import type { TargetReports } from '../reports/target-reports.ts'
import { createProviderClient } from '../upstream/provider-client.ts'
import type { ProviderClient } from '../upstream/provider-client.ts'
import type { ProvidersSettings } from '../contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface ProvidersServices {
  readonly core: Core
  readonly settings: ProvidersSettings
  readonly metering: Metering
  /** Circuits of the targets that this process calls. */
  readonly circuits: Circuits
  /** Reports the circuits of a gateway in the status of their routes. */
  readonly reports: TargetReports
  /** The adapters that this plugin itself contributes. */
  readonly adapters: readonly ModelAdapter[]
  readonly client: ProviderClient
}

/** Creates the services, without I/O. */
export function createServices(core: Core, settings: ProvidersSettings): ProvidersServices {
  const client = createProviderClient({
    connections: settings.connections,
    idleMs: settings.idleTimeout * 1000,
    outbound: core.outbound,
  })
  const adapters = [mockAdapter, createOpenAiAdapter(client), createAnthropicAdapter(client)]
  const circuits = createCircuits()
  const reports = createTargetReports(core, circuits)
  return { core, settings, metering: createMetering(core), circuits, reports, adapters, client }
}
