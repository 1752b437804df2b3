import { Type } from 'typebox'

/** Settings of the plugin. */
export const a2aSettings = Type.Object(
  {
    publicUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/?#]+(?:/[^\\s?#]*)?$',
        maxLength: 2048,
        description: 'URL of the API in agent cards, without /api. Default: scheme and Host of the request.',
      }),
    ),
    waitTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description:
        'Seconds that SendMessage waits for a task to end or to ask. Then it returns the task in its current state.',
    }),
  },
  { additionalProperties: false },
)
