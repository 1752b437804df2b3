import { Type } from 'typebox'
import { definePlugin } from '#core/host/plugin.ts'
import type { Agents } from './agents.ts'
import { createModelGateway } from './model-gateway.ts'
import { agentRequirement } from './points.ts'
import { routes } from './routes.ts'

/** Agents: authoring, versions, relations and logs. The cluster is the store and the judge; the caller's rights decide. */
export const agents = definePlugin({
  contract: 1,
  name: 'agents',
  settings: Type.Object(
    {
      generateRoute: Type.Optional(
        Type.String({ minLength: 1, maxLength: 317, description: 'ModelRoute that answers generate and refine.' }),
      ),
    },
    { additionalProperties: false },
  ),
  create: (core, settings): Agents => ({
    now: core.now,
    gateway: createModelGateway(core.urls.gateway),
    generateRoute: settings.generateRoute ?? 'mock',
    checks: () => core.extensions(agentRequirement),
  }),
  routes,
})
