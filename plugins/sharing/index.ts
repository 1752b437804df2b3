import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { sharingConsumers } from './consumers.ts'
import { sharingErrors } from './contract/errors.ts'
import { shareCreated, shareRevoked } from './contract/events.ts'
import { sharingJobs } from './jobs.ts'
import { sharingRoutes } from './routes/index.ts'
import { createServices } from './services/create-services.ts'
import { createShareEraser } from './shares/erase-shares.ts'
import { sharingSettings } from './contract/settings.ts'

/** Shares of runs: links that show a redacted snapshot to readers without an account. */
export const sharing = definePlugin({
  contract: 1,
  name: 'sharing',
  summary: 'Shares of runs: links to a redacted snapshot, for people without an account.',
  needs: { runs },
  settings: sharingSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [shareCreated, shareRevoked],
  access: [
    {
      resource: 'runshares',
      kind: 'RunShare',
      reason: 'Virtual resource: exists only in access reviews.',
      developer: ['get', 'list', 'create', 'delete'],
    },
  ],
  errors: sharingErrors,
  create: createServices,
  contributions: (services) => [contribute(eraser, createShareEraser(services))],
  routes: sharingRoutes,
  consumers: sharingConsumers,
  jobs: sharingJobs,
  console: [{ id: 'shares', title: 'Shares', section: 'Run', path: '/shares', capability: 'sharing' }],
})
