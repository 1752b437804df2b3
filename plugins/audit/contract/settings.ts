import { Type } from 'typebox'
import { fileSetting } from '#core/config/file-setting.ts'

/** Settings of the audit plugin. */
export const auditSettings = Type.Object(
  {
    retentionDays: Type.Integer({
      minimum: 1,
      maximum: 36_500,
      default: 90,
      description: 'Retention of audit rows, in days.',
    }),
    spoolDir: Type.Optional(
      fileSetting(
        { holds: 'written-folder', roles: ['bff'] },
        'Folder of one process for outcomes that are not stored yet. Without it, a killed process loses them.',
      ),
    ),
    webhookTokenFile: Type.Optional(
      fileSetting(
        { holds: 'token', roles: ['manager'] },
        "File with the bearer token of the API server's audit webhook; enables its listener.",
      ),
    ),
    webhookMaxEvents: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
      description: 'Maximum number of events per request of the audit webhook.',
    }),
    webhookMegabytes: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 16,
      description: 'Maximum size of a request of the audit webhook, in MiB.',
    }),
    spoolMegabytes: Type.Integer({
      minimum: 1,
      maximum: 65_536,
      default: 64,
      description: 'Maximum size of the spool in MiB; further outcomes are dropped and counted.',
    }),
  },
  { additionalProperties: false },
)
