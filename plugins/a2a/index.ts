import { definePlugin } from '#core/plugin/plugin.ts'
import { runs } from '#plugins/runs/index.ts'
import { a2aErrors } from './contract/errors.ts'
import { a2aRoutes } from './routes.ts'
import { createServices } from './services/create-services.ts'
import { a2aSettings } from './contract/settings.ts'

/** Agents for clients of the Agent2Agent protocol (A2A): a task is a run, a context is a conversation. */
export const a2aProtocol = definePlugin({
  contract: 1,
  name: 'a2a',
  summary: 'Agents for clients of the Agent2Agent protocol (A2A).',
  needs: { runs },
  settings: a2aSettings,
  requires: ['store'],
  errors: a2aErrors,
  enforces: [{ kind: 'AgentDeployment', field: 'a2a.expose' }],
  create: createServices,
  routes: a2aRoutes,
})
