import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { identityEndpoints } from './endpoints.ts'
import { identityAccess } from './contract/access.ts'

/** The caller, the caller's capabilities, and namespaces. */
export const identity = definePlugin({
  contract: 1,
  name: 'identity',
  summary: 'The caller, namespaces, and what this installation offers.',
  settings: Type.Object({}, { additionalProperties: false }),
  requiredBy: ['hardened'],
  access: identityAccess,
  create: ({ profile, plugins, version, install, shownSettings }) => ({
    profile,
    installation: { plugins, version, install, shownSettings },
  }),
  routes: ({ profile, installation }, { catalog, directory, pages }) =>
    identityEndpoints(profile, { catalog, directory, pages, ...installation }),
  console: [
    { id: 'namespaces', title: 'Namespaces', section: 'Platform', path: '/namespaces', capability: 'identity' },
    { id: 'settings', title: 'Settings', section: 'Settings', path: '/settings', capability: 'identity' },
  ],
})
