import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { myShares } from './my-shares.ts'
import { runShareEndpoints } from './run-shares.ts'
import { sharedRun } from './shared-run.ts'
import type { SharingServices } from '../services/create-services.ts'

/** Every route of the plugin, below `/api`. */
export function sharingRoutes(services: SharingServices): readonly AnyEndpoint[] {
  return [...runShareEndpoints(services), myShares(services), sharedRun(services)]
}
