import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const evalsSettings = Type.Object(
  {
    onlineRunsPerDay: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Maximum number of runs of an agent that are scored online per day (UTC); further ones are skipped.',
    }),
    onlineRetentionDays: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 90,
      description: 'Retention of online scores, in days.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link evalsSettings}. */
export type EvalsSettings = Static<typeof evalsSettings>
