import type { Mountable } from '#core/http/endpoint/mountable.ts'
import { agUiEndpoint } from './endpoints/ag-ui.ts'
import { invokeEndpoints } from './endpoints/invoke.ts'
import { listEndpoints } from './endpoints/lists.ts'
import { runEndpoints } from './endpoints/run.ts'
import { withCallerRuns } from './services.ts'
import type { RunsServices } from './services.ts'

/** Every route of the plugin, below `/api`. */
export function runsRoutes(services: RunsServices): readonly Mountable[] {
  const callerServices = withCallerRuns(services)
  return [
    ...listEndpoints(callerServices, services.core),
    ...invokeEndpoints(callerServices),
    ...runEndpoints(callerServices),
    agUiEndpoint(callerServices),
  ]
}
