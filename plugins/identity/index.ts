import { Type } from 'typebox'
import type { Informer } from '#core/controllers/watch/declarations.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import type { Resource } from '#core/kube/client.ts'
import { kinds } from '#schemas/kinds.ts'
import { namespaces } from './namespaces.ts'
import { routes } from './routes.ts'

function toInformer(resource: Resource & { readonly audited?: readonly string[] }): Informer {
  const { kind, audited = [] } = resource
  return { resource, resourceKind: kind, audited }
}

/** The caller, the caller's capabilities, and namespaces. */
export const identity = definePlugin({
  contract: 1,
  name: 'identity',
  summary: 'The caller, namespaces, and what this install offers.',
  settings: Type.Object({}, { additionalProperties: false }),
  create: ({ profile, plugins }) => ({ profile, plugins }),
  routes,
  // Feeds the directory of namespaces and the uids that rows of the store are joined on. Every kind of the platform is audited.
  informers: () => [namespaces, ...kinds].map(toInformer),
})
