import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { agentEvalGate, agentGate, agentTrigger } from '#plugins/agents/contract/points.ts'
import { datasets } from '#plugins/datasets/index.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { feedback } from '#plugins/feedback/index.ts'
import { toolReplacement } from '#plugins/mcp/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { recording } from '#plugins/recording/index.ts'
import { runExecutor } from '#plugins/runs/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { evalsConsumers } from './consumers.ts'
import { evalErrors } from './contract/errors.ts'
import { evalEvents } from './contract/events.ts'
import { suiteEvaluator } from './contract/points.ts'
import { evalsSettings } from './contract/settings.ts'
import { builtInEvaluators } from './evaluators/built-in.ts'
import { createEvaluationExecutor } from './execute/executor.ts'
import { createRecordedResponse } from './execute/recorded-response.ts'
import { createEvalGate, suiteTrigger } from './gate/gate.ts'
import { createGateView } from './gate/gate-view.ts'
import { evalsJobs } from './jobs.ts'
import { evalsAccess, suiteKind } from './kinds.ts'
import { evalsTasks } from './online/tasks.ts'
import { suiteReconciler } from './reconcilers.ts'
import { previewReconcilers } from './previews/expire-previews.ts'
import { evalsRoutes } from './routes/index.ts'
import { createServices } from './contract/services.ts'
import { createSuiteWork } from './start/suite-work.ts'
import { evaluationEraser, evaluationPruner } from './store/prune-evaluations.ts'

/** Evaluations of revisions of agents, and the gate that waits for them. */
export const evals = definePlugin({
  contract: 1,
  name: 'evals',
  summary: 'Evaluations: suites of cases and evaluators that score revisions of agents, and gates that wait for them.',
  needs: { runs, datasets, recording, feedback: optional(feedback) },
  settings: evalsSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: evalEvents,
  kinds: [suiteKind],
  access: evalsAccess,
  errors: evalErrors,
  points: [suiteEvaluator],
  enforces: [{ kind: 'AgentDeployment', field: 'evalGate' }],
  create: createServices,
  contributions: (services) => [
    ...builtInEvaluators.map((evaluator) => contribute(suiteEvaluator, evaluator)),
    contribute(runExecutor, createEvaluationExecutor(services)),
    contribute(agentGate, createEvalGate(services)),
    contribute(agentEvalGate, createGateView(services)),
    contribute(agentTrigger, suiteTrigger),
    contribute(toolReplacement, createRecordedResponse(services)),
    contribute(pruner, evaluationPruner),
    contribute(eraser, evaluationEraser),
  ],
  routes: evalsRoutes,
  consumers: evalsConsumers,
  tasks: evalsTasks,
  jobs: evalsJobs,
  console: [
    { id: 'evals', title: 'Evals', section: 'Quality', path: '/evals', capability: 'evals' },
    {
      id: 'evals.agent',
      title: 'Score',
      section: 'Quality',
      path: '/evals/agent',
      capability: 'evals',
      tabOf: 'agent',
    },
  ],
  reconcilers: (services, manager) => [
    suiteReconciler({
      cluster: manager.cluster,
      now: services.now,
      evaluators: services.evaluators,
      ...createSuiteWork(services, manager, manager.system(datasets)),
    }),
    ...previewReconcilers({ cluster: manager.cluster, now: services.now }),
  ],
})
