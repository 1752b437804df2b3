import { Type } from 'typebox'
import { definePlugin } from '#core/host/plugin.ts'
import { routes } from './routes.ts'

/** Who the caller is, what the caller may see, and the namespaces. */
export const identity = definePlugin({
  contract: 1,
  name: 'identity',
  settings: Type.Object({}, { additionalProperties: false }),
  create: (core) => ({ profile: core.profile }),
  routes,
})
