import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { configEndpoints } from './endpoints/config.ts'
import { surfaceEndpoint } from './endpoints/surface.ts'
import type { MemoryServices } from './services.ts'

/** Routes of the plugin, below `/api`. */
export function memoryApi(services: MemoryServices): readonly AnyEndpoint[] {
  return [...configEndpoints, surfaceEndpoint(services)]
}
