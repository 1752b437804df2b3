import { Type } from 'typebox'

/** Settings of the audit plugin. */
export const auditSettings = Type.Object(
  {
    retentionDays: Type.Integer({ minimum: 1, maximum: 36_500, default: 90, description: 'Days that a row is kept.' }),
    spoolDir: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Folder, of one process alone, for outcomes that are not in the store yet. Without it those of a killed process are lost.',
      }),
    ),
    spoolMegabytes: Type.Integer({
      minimum: 1,
      maximum: 65_536,
      default: 64,
      description: 'Room in the spool; what exceeds it while the store is away is dropped and counted.',
    }),
  },
  { additionalProperties: false },
)
