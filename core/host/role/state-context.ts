import { endpointByService } from '#core/cluster/endpoint-slices.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { createRoleEmbeddings } from '#core/retrieval/embeddings.ts'
import type { Built } from '../load/role-container.ts'
import type { Platform } from '../platform/platform.ts'
import { createSystemReads } from './create-system-reads.ts'

/** Dependencies of the context of the state role. */
export interface StateContextInput {
  readonly core: Pick<Core, 'urls'>
  readonly platform: Pick<Platform, 'identity' | 'stateStore' | 'objects' | 'ownBearer'> &
    Partial<Pick<Platform, 'endpoints'>>
  readonly built: readonly Built[]
}

/** The context of a plugin's routes and jobs in the state role. */
export function stateContext(plugin: AnyPlugin, { core, platform, built }: StateContextInput): StateContext {
  if (platform.identity === undefined) throw new Error('the role state has no identity of its own')
  return {
    ...platform.identity,
    role: 'state',
    stateStore: platform.stateStore,
    objects: platform.objects,
    embeddings: createRoleEmbeddings({ gatewayUrl: () => core.urls.gateway, bearer: platform.ownBearer }),
    endpoints: platform.endpoints ?? endpointByService,
    ...createSystemReads(plugin, built),
  }
}
