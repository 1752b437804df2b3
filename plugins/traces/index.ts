import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { agentPodPart } from '#plugins/agents/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { runContents } from '#plugins/runs/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { createRunContents } from './services/run-contents.ts'
import { tracesConsumers } from './consumers.ts'
import { tracesJobs } from './jobs.ts'
import { tracesPodPart } from './pod-part.ts'
import { tracesRoutes } from './routes/index.ts'
import { createServices } from './services/create-services.ts'
import { tracesSettings } from './contract/settings.ts'
import { tracesStateRoutes } from './state-routes.ts'
import { spanPruner } from './store/remove-spans.ts'

const virtual = 'Virtual resource: exists only in access reviews.'

/** Traces of agents: spans of launchers, and spans that agents send to their launchers' OTLP ports. */
export const traces = definePlugin({
  contract: 1,
  name: 'traces',
  summary: 'Traces of agents, and what they may hold.',
  needs: { runs },
  settings: tracesSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  access: [
    { resource: 'agentdeployments', state: ['get'] },
    { resource: 'traces/content', kind: 'Trace', reason: virtual, developer: ['get'] },
  ],
  enforces: [{ kind: 'AgentDeployment', field: 'tracePolicy' }],
  create: createServices,
  contributions: (services) => [
    contribute(agentPodPart, tracesPodPart(services.settings)),
    contribute(pruner, spanPruner),
    contribute(runContents, createRunContents(services)),
  ],
  routes: tracesRoutes,
  stateRoutes: tracesStateRoutes,
  consumers: tracesConsumers,
  jobs: tracesJobs,
  console: [{ id: 'traces', title: 'Traces', section: 'Observe', path: '/traces', capability: 'traces' }],
})
