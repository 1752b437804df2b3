import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const promptSettings = Type.Object(
  {
    protectedLabels: Type.Array(Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$' }), {
      maxItems: 32,
      uniqueItems: true,
      default: ['production'],
      description: 'Labels whose move needs the verb `promote` on `promptversions` besides `update`.',
    }),
    promptsPerNamespace: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Maximum number of prompts per namespace; further ones are refused with 429.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link promptSettings}. */
export type PromptSettings = Static<typeof promptSettings>
