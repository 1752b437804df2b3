import type { FastifyPluginAsync } from 'fastify'
import type { Profile } from '#core/config/profile.ts'
import type { BffContext } from '#core/plugin/role-contexts.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { mountEndpoints } from '#core/http/mount-endpoints.ts'
import { identityEndpoints } from './endpoints.ts'

/** The plugin's routes. */
export function routes(
  { profile, plugins }: { readonly profile: Profile; readonly plugins: Core['plugins'] },
  { catalog, directory, pages }: BffContext,
): FastifyPluginAsync {
  return mountEndpoints(identityEndpoints(profile, { catalog, directory, pages, plugins }))
}
