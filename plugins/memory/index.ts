import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { agentPodPart } from '#plugins/agents/contract/points.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { memoryConsumers } from './consumers.ts'
import { conversationsEndpoint } from './routes/conversations.ts'
import { memoryErrors } from './contract/errors.ts'
import { itemRemembered } from './contract/events.ts'
import { memoryEraser } from './store/erase-items.ts'
import { itemPruner } from './store/remove-items.ts'
import { memoryJobs } from './jobs.ts'
import { memoryPodPart } from './pod-part.ts'
import { memoryApi } from './routes/index.ts'
import { stateServices } from './services/create-services.ts'
import type { MemoryServices } from './services/create-services.ts'
import { memorySettings } from './contract/settings.ts'
import { memoryEndpoints } from './state-routes.ts'

const runsOrNone = optional(runs)

/** Memory of agents: conversations in the state store, long-term memory in the database. */
export const agentMemory = definePlugin({
  contract: 1,
  name: 'memory',
  summary: 'Session memory and long-term memory of agents.',
  needs: { runs: runsOrNone },
  settings: memorySettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [itemRemembered],
  access: [
    {
      resource: 'agentmemories',
      kind: 'AgentMemory',
      reason: 'Virtual resource: exists only in access reviews.',
      viewer: ['list'],
    },
    { resource: 'agentdeployments', state: ['get'] },
    { resource: 'modelroutes', state: ['get'] },
    {
      resource: 'modelroutes/invoke',
      reason: 'Embeddings of long-term memory; the plugin decides which route an agent may name.',
      state: ['create'],
    },
  ],
  errors: memoryErrors,
  enforces: [
    { kind: 'AgentDeployment', field: 'memory.session' },
    { kind: 'AgentDeployment', field: 'memory.longTerm' },
  ],
  create: (core, settings): MemoryServices => ({ core, settings }),
  contributions: () => [
    contribute(agentPodPart, memoryPodPart),
    contribute(pruner, itemPruner),
    contribute(eraser, memoryEraser),
  ],
  routes: memoryApi,
  stateRoutes: (services, state) => {
    const { memory: ofPods, session } = stateServices(services, state, state.system(runsOrNone))
    return [...memoryEndpoints(ofPods), conversationsEndpoint(session, services.core)]
  },
  consumers: memoryConsumers,
  jobs: memoryJobs,
})
