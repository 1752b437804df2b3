import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { agentPodPart } from '#plugins/agents/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { recordingConsumers } from './consumers.ts'
import type { RecordingApi } from './contract/api.ts'
import { recordingErrors } from './contract/errors.ts'
import { recordingJobs } from './jobs.ts'
import { recordingPodPart } from './pod-part.ts'
import { recordingRoutes } from './routes.ts'
import { createServices } from './services.ts'
import { recordingSettings } from './contract/settings.ts'
import { recordingStateRoutes } from './state-routes.ts'
import { findToolResult } from './store/find-tool-result.ts'

const reason = 'Virtual resource: exists only in access reviews.'

/** Recordings of runs: model calls and tool calls, captured by launchers and kept in the object store. */
export const recording = definePlugin({
  contract: 1,
  name: 'recording',
  summary: 'Recordings of the model calls and tool calls of runs, to replay them.',
  needs: { runs },
  settings: recordingSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  access: [{ resource: 'runs/fixture', kind: 'Run', reason, developer: ['get'] }],
  errors: recordingErrors,
  enforces: [{ kind: 'AgentDeployment', field: 'recording' }],
  create: createServices,
  api: (): RecordingApi => ({ findToolResult }),
  contributions: () => [contribute(agentPodPart, recordingPodPart)],
  routes: recordingRoutes,
  stateRoutes: recordingStateRoutes,
  consumers: recordingConsumers,
  jobs: recordingJobs,
})
