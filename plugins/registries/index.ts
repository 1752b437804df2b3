import { Type } from 'typebox'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { issuerOf } from '#core/signing/launcher-certificate.ts'
import { agents } from '#plugins/agents/index.ts'
import { runs } from '#plugins/runs/index.ts'
import { registryErrors } from './contract/errors.ts'
import { registriesJobs } from './jobs.ts'
import { registriesAccess, registryKind } from './kinds.ts'
import { callsProjection } from './projections.ts'
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
  enforces: [{ kind: 'AgentDeployment', field: 'registries' }],
  keys: { state: { verifies: ['launcher'] } },
  migrations: new URL('./migrations/', import.meta.url),
  create: ({ now, keys, store }, _settings, needs) => ({
    now,
    store,
    issuer: issuerOf(keys, now),
    runs: needs.runs,
    references: needs.agents.references,
  }),
  projections: () => [callsProjection],
  routes: (services) => [topologyEndpoint(services)],
  jobs: ({ store }, { role }) => registriesJobs(store, role),
  // Calls are runs: without a store there are none.
  stateRoutes: ({ issuer, runs: api }, state) => (api === undefined ? [] : callEndpoints({ runs: api, issuer }, state)),
  reconcilers: ({ now }, { cluster }) => [registryReconciler({ cluster, now })],
  console: [
    { id: 'topology', title: 'Topology', section: 'Platform', path: '/topology', capability: 'registries' },
    {
      id: 'agentregistries',
      title: 'Registries',
      section: 'Platform',
      path: '/agentregistries',
      capability: 'registries',
    },
  ],
})
