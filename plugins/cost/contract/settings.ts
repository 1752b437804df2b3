import { Type } from 'typebox'

/** Settings of the plugin. */
export const costSettings = Type.Object(
  {
    retentionDays: Type.Integer({
      minimum: 31,
      maximum: 3_650,
      default: 400,
      description: 'Retention of the daily cost, in days.',
    }),
  },
  { additionalProperties: false },
)
