import type { Mountable } from '#core/http/endpoint/mountable.ts'
import { againEndpoints } from './again.ts'
import { agUiEndpoint } from './ag-ui.ts'
import { conversationEndpoints } from './conversations.ts'
import { invokeEndpoints } from './invoke.ts'
import { listEndpoints } from './lists.ts'
import { runEndpoints } from './run.ts'
import { statsEndpoint } from './stats.ts'
import { withCallerRuns } from '../services/create-services.ts'
import type { RunsServices } from '../services/create-services.ts'

/** Every route of the plugin, below `/api`. */
export function runsRoutes(services: RunsServices): readonly Mountable[] {
  const callerServices = withCallerRuns(services)
  return [
    ...listEndpoints(callerServices, services.core),
    ...conversationEndpoints(services),
    statsEndpoint(callerServices),
    ...invokeEndpoints(callerServices),
    ...againEndpoints(callerServices),
    ...runEndpoints(callerServices),
    agUiEndpoint(callerServices),
  ]
}
