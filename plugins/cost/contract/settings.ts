import { Type } from 'typebox'

/** Settings of the plugin. */
export const costSettings = Type.Object(
  {
    retentionDays: Type.Integer({
      minimum: 31,
      maximum: 3_650,
      default: 400,
      description: 'Days that the cost of a day is kept.',
    }),
  },
  { additionalProperties: false },
)
