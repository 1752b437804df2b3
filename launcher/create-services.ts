import type { ModelCalls } from './contract/calls/model-call.ts'
import type { Recorder } from './contract/calls/recorder.ts'
import type { LauncherService, ServiceParts } from './contract/service.ts'
import { pluginServices } from './service-list.ts'

/** What the plugins do inside a launcher. */
export interface Services {
  /** Undefined unless the runs of the agent are recorded. */
  readonly recorder: Recorder | undefined
  /** Model calls of the agent; undefined: they go to the gateway directly. */
  readonly modelCalls: ModelCalls | undefined
  /** Whether rules apply to them. */
  readonly isFiltered: boolean
}

/** Creates the services of the plugins. Throws `ConfigError`. */
export function createServices(parts: ServiceParts): Services {
  const { modelProxy, gatewayUrl } = parts.settings
  const recorder = first((service) => service.recorder?.(parts))
  if (!modelProxy || gatewayUrl === undefined) return { recorder, modelCalls: undefined, isFiltered: false }
  const payment = first((service) => service.payment?.(parts))
  const filter = first((service) => service.filter?.(parts))
  const calls = first((service) => service.modelCalls?.(parts, { payment, filter }))
  return { recorder, modelCalls: calls && (recorder?.record(calls) ?? calls), isFiltered: filter !== undefined }
}

// Each service is of one plugin.
function first<T>(create: (service: LauncherService) => T | undefined): T | undefined {
  for (const service of pluginServices) {
    const created = create(service)
    if (created !== undefined) return created
  }
  return undefined
}
