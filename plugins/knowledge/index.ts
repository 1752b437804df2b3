import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { agentPodPart } from '#plugins/agents/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { knowledgeErrors } from './contract/errors.ts'
import { knowledgeEvents } from './contract/events.ts'
import { knowledgeJobs } from './jobs.ts'
import { knowledgeAccess, knowledgeBaseKind } from './kinds.ts'
import { knowledgePodPart } from './pod-part.ts'
import { knowledgePruner } from './store/prune-knowledge.ts'
import { knowledgeReconciler } from './reconcilers.ts'
import { knowledgeRoutes } from './routes/index.ts'
import { createServices } from './services/create-services.ts'
import { knowledgeSettings } from './contract/settings.ts'
import { knowledgeStateRoutes } from './state-routes.ts'
import { knowledgeTasks } from './ingest/task-handlers.ts'

/** Knowledge bases: documents that are divided, embedded and searched by agents and users. */
export const knowledge = definePlugin({
  contract: 1,
  name: 'knowledge',
  summary: 'Knowledge bases: documents that agents and people search by words and by meaning.',
  settings: knowledgeSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: knowledgeEvents,
  kinds: [knowledgeBaseKind],
  access: knowledgeAccess,
  errors: knowledgeErrors,
  enforces: [{ kind: 'AgentDeployment', field: 'knowledge' }],
  create: createServices,
  contributions: () => [contribute(pruner, knowledgePruner), contribute(agentPodPart, knowledgePodPart)],
  routes: knowledgeRoutes,
  stateRoutes: knowledgeStateRoutes,
  reconcilers: (services, { cluster }) => [knowledgeReconciler({ ...services, cluster })],
  jobs: knowledgeJobs,
  tasks: knowledgeTasks,
  console: [{ id: 'knowledge', title: 'Knowledge', section: 'Build', path: '/knowledge', capability: 'knowledge' }],
})
