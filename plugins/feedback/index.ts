import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { agentPodPart } from '#plugins/agents/contract/points.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { feedbackConsumers } from './consumers.ts'
import { createScoreEraser } from './erase-scores.ts'
import type { FeedbackApi } from './contract/api.ts'
import { feedbackErrors } from './contract/errors.ts'
import { scoreRecorded } from './contract/events.ts'
import { feedbackPodPart } from './pod-part.ts'
import { feedbackRoutes } from './routes.ts'
import { createServices } from './services.ts'
import { feedbackSettings } from './contract/settings.ts'
import { feedbackStateRoutes } from './state-routes.ts'
import { readMeanScores } from './store/mean-scores.ts'
import { readScoredRuns } from './store/scores.ts'
import type { FeedbackTables } from './contract/tables.ts'

const reason = 'Virtual resource: exists only in access reviews.'

/** Feedback on runs: scores by users, and by agents through port 2995 of their launcher. */
export const feedback = definePlugin({
  contract: 1,
  name: 'feedback',
  summary: 'Scores of runs, by people and by agents.',
  needs: { runs },
  settings: feedbackSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [scoreRecorded],
  access: [{ resource: 'feedback', kind: 'Feedback', reason, viewer: ['list'], developer: ['create'] }],
  errors: feedbackErrors,
  create: createServices,
  api: ({ store }): FeedbackApi => ({
    scored: (runIds, match) => readScoredRuns(store.reader<FeedbackTables>(), runIds, match),
    meansOf: (access, window) => readMeanScores(store.reader<FeedbackTables>(), access, window),
  }),
  contributions: (services) => [
    contribute(agentPodPart, feedbackPodPart(services.settings)),
    contribute(eraser, createScoreEraser(services)),
  ],
  routes: feedbackRoutes,
  stateRoutes: feedbackStateRoutes,
  consumers: feedbackConsumers,
  console: [
    { id: 'feedback', title: 'Feedback', section: 'Quality', path: '/feedback', capability: 'feedback' },
    {
      id: 'feedback.run',
      title: 'Feedback',
      section: 'Quality',
      path: '/feedback/run',
      capability: 'feedback',
      tabOf: 'run',
    },
  ],
})
