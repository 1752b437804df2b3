import type { ModelCalls } from './contract/calls/model-call.ts'
import type { Recorder } from './contract/calls/recorder.ts'
import type { LauncherService, ServiceParts } from './contract/service.ts'
import { pluginServices } from './service-list.ts'

/** Services of the plugins inside a launcher. */
export interface Services {
  /** Undefined unless the runs of the agent are recorded. */
  readonly recorder: Recorder | undefined
  /** Model calls of the agent; undefined: they go to the gateway directly. */
  readonly modelCalls: ModelCalls | undefined
  /** Whether rules apply to them. */
  readonly isFiltered: boolean
}

/** Creates the services of the plugins. Throws `ConfigError`. */
export function createServices(parts: ServiceParts, services: readonly LauncherService[] = pluginServices): Services {
  const { modelProxy, gatewayUrl } = parts.settings
  const recorder = only(services, 'recorder')?.(parts)
  if (!modelProxy || gatewayUrl === undefined) return { recorder, modelCalls: undefined, isFiltered: false }
  const payment = only(services, 'payment')?.(parts)
  const filter = only(services, 'filter')?.(parts)
  const calls = only(services, 'modelCalls')?.(parts, { payment, filter })
  return { recorder, modelCalls: calls && (recorder?.record(calls) ?? calls), isFiltered: filter !== undefined }
}

// A second filter or payment would be left out: its rules or its limits would not apply.
function only<Name extends keyof LauncherService>(
  services: readonly LauncherService[],
  name: Name,
): LauncherService[Name] | undefined {
  const [own, ...others] = services.map((service) => service[name]).filter((one) => one !== undefined)
  if (others.length > 0) throw new Error(`two plugins define the launcher's service '${name}'`)
  return own
}
