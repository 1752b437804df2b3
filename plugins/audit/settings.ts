import { Type } from 'typebox'

/** Settings of the audit plugin. */
export const auditSettings = Type.Object(
  {
    retentionDays: Type.Integer({ minimum: 1, maximum: 36_500, default: 90, description: 'Days that a row is kept.' }),
  },
  { additionalProperties: false },
)
