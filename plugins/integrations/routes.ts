import type { FastifyPluginAsync } from 'fastify'
import { mountEndpoints } from '#core/http/mount-endpoints.ts'
import type { IntegrationsServices } from './services.ts'
import { streamEvents } from './stream-events.ts'

/** Every route of the plugin, below `/api`. */
export function routes(services: IntegrationsServices): FastifyPluginAsync {
  return mountEndpoints([streamEvents(services)])
}
