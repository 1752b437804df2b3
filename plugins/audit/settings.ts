import { Type } from 'typebox'
import { fileSetting } from '#core/config/file-setting.ts'

/** Settings of the audit plugin. */
export const auditSettings = Type.Object(
  {
    retentionDays: Type.Integer({ minimum: 1, maximum: 36_500, default: 90, description: 'Days that a row is kept.' }),
    spoolDir: Type.Optional(
      fileSetting(
        { holds: 'written-folder', roles: ['bff'] },
        'Folder, of one process alone, for outcomes that are not in the store yet. Without it those of a killed process are lost.',
      ),
    ),
    webhookTokenFile: Type.Optional(
      fileSetting(
        { holds: 'token', roles: ['manager'] },
        "File with the bearer of the API server's audit webhook; the manager listens for it when it is set.",
      ),
    ),
    webhookMaxEvents: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
      description: 'Events that one request of the audit webhook may hold.',
    }),
    webhookMegabytes: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 16,
      description: 'Size of a request of the audit webhook.',
    }),
    spoolMegabytes: Type.Integer({
      minimum: 1,
      maximum: 65_536,
      default: 64,
      description: 'Room in the spool; what exceeds it while the store is away is dropped and counted.',
    }),
  },
  { additionalProperties: false },
)
