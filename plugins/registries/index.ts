import { Type } from 'typebox'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { agents } from '#plugins/agents/index.ts'
import { runs } from '#plugins/runs/index.ts'
import { registryErrors } from './errors.ts'
import { registriesAccess, registryKind } from './kinds.ts'
import { registryReconciler } from './reconcile/registry-reconciler.ts'
import { callEndpoints } from './state-routes.ts'
import { topologyEndpoint } from './topology/topology.ts'

const runsOrNone = optional(runs)

/** Registries of agents that may call each other, and the calls between them. */
export const registries = definePlugin({
  contract: 1,
  name: 'registries',
  summary: 'Registries of agents that may call each other.',
  needs: { agents, runs: runsOrNone },
  settings: Type.Object({}, { additionalProperties: false }),
  kinds: [registryKind],
  access: registriesAccess,
  errors: registryErrors,
  create: ({ now }, _settings, needs) => ({ now, runs: needs.runs, references: needs.agents.references }),
  routes: ({ references }) => [topologyEndpoint(references)],
  stateRoutes: ({ now, runs: api }, state) => {
    const system = state.system(runsOrNone)
    // Calls are runs: without a store there are none.
    return api === undefined || system === undefined ? [] : callEndpoints({ runs: api, system, now }, state)
  },
  reconcilers: ({ now }, { cluster }) => [registryReconciler({ cluster, now })],
})
