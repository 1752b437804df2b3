import { Type } from 'typebox'
import { definePlugin } from '#core/host/plugin.ts'
import { namespaces } from './namespaces.ts'
import { routes } from './routes.ts'

/** Who the caller is, what the caller may see, and the namespaces. */
export const identity = definePlugin({
  contract: 1,
  name: 'identity',
  settings: Type.Object({}, { additionalProperties: false }),
  create: (core) => ({ profile: core.profile }),
  routes,
  // The directory of namespaces, and the uids that store rows are joined on, come from here.
  informers: () => [{ resource: namespaces, resourceKind: namespaces.kind }],
})
