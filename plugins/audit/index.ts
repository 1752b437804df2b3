import { definePlugin } from '#core/plugin/plugin.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { httpOutcome } from '#core/http/endpoint/extension-points.ts'
import { changeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { Static } from 'typebox'
import type { Core } from '#core/plugin/core-services.ts'
import { createActorFinder, createAudit } from './audit-log.ts'
import { auditVerify } from './commands.ts'
import { auditConsumers } from './consumers.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { auditDaySealed, auditRowsRemoved, clusterRequest } from './contract/events.ts'
import { createIntake } from './intake/intake.ts'
import { intentJobs } from './outcomes/intent-jobs.ts'
import { auditJobs } from './jobs.ts'
import { createOutcomes } from './outcomes/outcomes.ts'
import { auditRoutes } from './routes.ts'
import { auditSettings } from './contract/settings.ts'
import { openSpool } from './spool/spool.ts'
import type { Spool } from './spool/spool.ts'
import { readWebhookToken } from './intake/webhook-token.ts'
import { webhookEndpoint } from './intake/webhook-endpoint.ts'

/** Audit log: actions, failed attempts and denials, with their actors. */
export const audit = definePlugin({
  contract: 1,
  name: 'audit',
  summary: 'The audit log: who did what, and with which outcome.',
  settings: auditSettings,
  requiredBy: ['hardened'],
  settingsFrom: [
    { from: 'AUDIT_RETENTION_DAYS', to: 'retentionDays' },
    { from: 'AUDIT_SPOOL_DIR', to: 'spoolDir' },
    { from: 'AUDIT_WEBHOOK_TOKEN_FILE', to: 'webhookTokenFile' },
  ],
  migrations: new URL('./migrations/', import.meta.url),
  access: [{ resource: 'auditlogs', kind: 'AuditLog', operator: ['list'] }],
  events: [requestOutcome, clusterRequest, auditDaySealed, auditRowsRemoved],
  commands: [auditVerify],
  console: [{ id: 'audit', title: 'Audit', section: 'Observe', path: '/audit', capability: 'audit' }],
  create: (core, settings) => ({
    core,
    settings,
    log: core.store && createAudit(core.store, settings.retentionDays),
    outcomes: createOutcomes(core, openOwnSpool(core, settings)),
  }),
  contributions: ({ core, outcomes }) => [
    contribute(httpOutcome, outcomes),
    ...(core.store ? [contribute(changeActorFinder, createActorFinder(core.store))] : []),
  ],
  routes: ({ core, log }) => [auditRoutes(log, core.observed)],
  managerRoutes: ({ core, settings }, { informers, serves }) =>
    settings.webhookTokenFile === undefined
      ? []
      : [webhookEndpoint(createIntake(core, informers, serves), readWebhookToken(settings.webhookTokenFile), settings)],
  consumers: ({ core, settings }) => (core.store ? auditConsumers(core.descriptors(), settings.retentionDays) : []),
  jobs: ({ core, settings }, { role }) =>
    role === 'manager' ? [...auditJobs(core, settings.retentionDays), ...intentJobs(core)] : [],
  close: ({ outcomes }) => outcomes.close(),
})

// Only the BFF has outcomes of requests. The spool is opened before the first request, so that an unusable folder fails the start.
function openOwnSpool({ role, store }: Core, settings: Static<typeof auditSettings>): Spool | undefined {
  const { spoolDir, spoolMegabytes } = settings
  if (role !== 'bff' || spoolDir === undefined || store === undefined) return undefined
  return openSpool({ folder: spoolDir, maxBytes: spoolMegabytes * 1_048_576 })
}
