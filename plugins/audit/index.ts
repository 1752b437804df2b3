import { definePlugin } from '#core/host/plugin.ts'
import { contribute } from '#core/host/points.ts'
import { httpOutcome } from '#core/http/points.ts'
import { createAudit } from './audit.ts'
import { auditConsumers } from './consumers.ts'
import { auditOutcome } from './events.ts'
import { auditJobs } from './jobs.ts'
import { createOutcomes } from './outcomes.ts'
import { auditRoutes } from './routes.ts'
import { auditSettings } from './settings.ts'

/** Who did, tried or was denied what. */
export const audit = definePlugin({
  contract: 1,
  name: 'audit',
  settings: auditSettings,
  settingsFrom: [{ from: 'AUDIT_RETENTION_DAYS', to: 'retentionDays' }],
  migrations: new URL('./migrations/', import.meta.url),
  events: [auditOutcome],
  create: (core, settings) => ({
    core,
    settings,
    log: core.store && createAudit(core.store),
    outcomes: createOutcomes(core),
  }),
  contributions: ({ outcomes }) => [contribute(httpOutcome, outcomes)],
  routes: ({ log }) => auditRoutes(log),
  consumers: ({ core, settings }) => (core.store ? auditConsumers(core.descriptors, settings.retentionDays) : []),
  jobs: ({ core, settings }, { role }) => (role === 'manager' ? auditJobs(core, settings.retentionDays) : []),
  close: ({ outcomes }) => outcomes.close(),
})
