import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { configEndpoints } from './config.ts'
import { surfaceEndpoint } from './surface.ts'
import type { MemoryServices } from '../services/create-services.ts'

/** Routes of the plugin, below `/api`. */
export function memoryApi(services: MemoryServices): readonly AnyEndpoint[] {
  return [...configEndpoints, surfaceEndpoint(services)]
}
