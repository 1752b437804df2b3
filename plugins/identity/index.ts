import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { identityEndpoints } from './endpoints.ts'
import { identityAccess } from './access.ts'
import { namespaces } from './namespaces.ts'

/** The caller, the caller's capabilities, and namespaces. */
export const identity = definePlugin({
  contract: 1,
  name: 'identity',
  summary: 'The caller, namespaces, and what this install offers.',
  settings: Type.Object({}, { additionalProperties: false }),
  access: identityAccess,
  // Feeds the directory of namespaces and the uids that rows of the store are joined on.
  informers: [{ resource: namespaces, resourceKind: namespaces.kind }],
  create: ({ profile, plugins }) => ({ profile, plugins }),
  routes: ({ profile, plugins }, { catalog, directory, pages }) =>
    identityEndpoints(profile, { catalog, directory, pages, plugins }),
})
