import type { FastifyPluginAsync } from 'fastify'
import { mountEndpoints } from '#core/http/mount-endpoints.ts'
import { templateEndpoints } from './endpoints.ts'

/** The plugin's routes. */
export function routes(): FastifyPluginAsync {
  return mountEndpoints(templateEndpoints())
}
