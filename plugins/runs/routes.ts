import type { FastifyPluginAsync } from 'fastify'
import type { BffContext } from '#core/plugin/role-contexts.ts'
import { gate } from '#core/http/endpoint/availability-gate.ts'
import { mountEndpoints } from '#core/http/mount-endpoints.ts'
import { fixture } from './endpoints/fixture.ts'
import { invokeEndpoints } from './endpoints/invoke.ts'
import { listEndpoints } from './endpoints/lists.ts'
import { runEndpoints } from './endpoints/run.ts'
import { withCallerRuns } from './services.ts'
import type { RunsServices } from './services.ts'

/** Every route of the plugin, below `/api`. */
export function runsRoutes(services: RunsServices, bff: BffContext): FastifyPluginAsync {
  return async (scope) => {
    const callerServices = withCallerRuns(services, bff.observed)
    const ready = [
      ...listEndpoints(callerServices, bff),
      ...invokeEndpoints(callerServices),
      ...runEndpoints(callerServices),
    ]
    await mountEndpoints(ready)(scope, {})
    await scope.register(async (unwired) => {
      // Recording is not part of this version; the route answers 501 with that reason.
      gate(unwired, 'unwired')
      await mountEndpoints([fixture])(unwired, {})
    })
  }
}
