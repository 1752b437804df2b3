import { readVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { agentRuns } from '#plugins/providers/contract/points.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { createRunsApi, createRunsSystem } from './create-api.ts'
import { runsConsumers } from './consumers.ts'
import { createChildRuns } from './delegation/child-runs.ts'
import { runErrors } from './contract/errors.ts'
import { runContents, runExecutor, runTenants } from './contract/points.ts'
import { runEvents } from './contract/events.ts'
import { createGatewayRuns } from './gateway/gateway-runs.ts'
import { createServices } from './services/create-services.ts'
import { runsJobs } from './jobs.ts'
import { createRunEraser } from './retention/erase-runs.ts'
import { createRunPruner } from './retention/prune-runs.ts'
import { runCostsProjection } from './projections/run-costs.ts'
import { runsProjection } from './projections.ts'
import { runsRoutes } from './routes/index.ts'
import { runsSettings } from './contract/settings.ts'
import { stateEndpoints } from './delegation/state-endpoints.ts'

// Runs are a virtual resource: they exist in access reviews only.
const virtual = 'Virtual resource: exists only in access reviews.'
const runsAccess: readonly AccessRule[] = [
  { resource: 'runs', kind: 'Run', reason: virtual, viewer: readVerbs, developer: ['create', 'update', 'delete'] },
  { resource: 'agentdeployments/invoke', developer: ['create'] },
  { resource: 'agentdeployments', state: ['get'] },
  { group: 'discovery.k8s.io', resource: 'endpointslices', worker: ['list'] },
  { resource: 'agentdeployments', reason: 'Pods of a candidate, which have no endpoints.', worker: ['get'] },
]

/** Runs of agents: queue, journal, streams, approvals, cancel. */
export const runs = definePlugin({
  contract: 1,
  name: 'runs',
  summary: 'Runs of agents: starting, following, answering and cancelling them.',
  settings: runsSettings,
  settingsFrom: [{ from: 'RUN_RETENTION_DAYS', to: 'retentionDays' }],
  requires: ['store'],
  keys: {
    // Grants of runs are signed where a caller or a parent run starts them: a worker cannot create one.
    bff: { signs: ['grant'], verifies: ['account'] },
    gateway: { signs: ['grant'], verifies: ['account'] },
    // It also publishes the key set for launchers.
    state: { signs: ['grant'], verifies: ['account', 'attempt'] },
    worker: { signs: ['attempt'], verifies: ['grant', 'account', 'launcher'] },
    // Grants of service accounts only (ADR 0063).
    manager: { signs: ['account'], verifies: ['grant'] },
  },
  migrations: new URL('./migrations/', import.meta.url),
  events: runEvents,
  access: runsAccess,
  errors: runErrors,
  points: [runExecutor, runTenants, runContents],
  enforces: [{ kind: 'AgentDeployment', field: 'delegates' }],
  create: createServices,
  api: createRunsApi,
  system: (services) => createRunsSystem(services),
  projections: () => [runsProjection, runCostsProjection],
  contributions: (services) => [
    contribute(pruner, createRunPruner(services.writer, services.removed('namespace'))),
    contribute(eraser, createRunEraser(services.writer, services.removed('erasure'))),
    contribute(agentRuns, createGatewayRuns(services)),
  ],
  routes: runsRoutes,
  stateRoutes: (services, state) => stateEndpoints(createChildRuns({ ...services, state })),
  consumers: ({ writer }) => runsConsumers(writer),
  jobs: runsJobs,
  console: [
    { id: 'runs', title: 'Runs', section: 'Run', path: '/runs', capability: 'runs' },
    { id: 'approvals', title: 'Approvals', section: '', path: '/approvals', capability: 'runs' },
  ],
})
