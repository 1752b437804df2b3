import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { myShares } from './endpoints/my-shares.ts'
import { runShareEndpoints } from './endpoints/run-shares.ts'
import { sharedRun } from './endpoints/shared-run.ts'
import type { SharingServices } from './services.ts'

/** Every route of the plugin, below `/api`. */
export function sharingRoutes(services: SharingServices): readonly AnyEndpoint[] {
  return [...runShareEndpoints(services), myShares(services), sharedRun(services)]
}
