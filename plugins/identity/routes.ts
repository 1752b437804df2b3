import type { FastifyPluginAsync } from 'fastify'
import type { BffContext } from '#core/host/contexts.ts'
import type { Profile } from '#core/host/core.ts'
import { mountEndpoints } from '#core/http/mount.ts'
import { identityEndpoints } from './endpoints.ts'

/** The plugin's routes. */
export function routes({ profile }: { profile: Profile }, bff: BffContext): FastifyPluginAsync {
  return mountEndpoints(identityEndpoints(profile, bff))
}
