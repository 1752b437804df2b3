import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const providersSettings = Type.Object(
  {
    firstByteTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 120,
      description: 'Timeout in seconds for the response headers of a provider, unless route or provider set one.',
    }),
    connections: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 256,
      description: 'Most concurrent connections to one provider, and therefore of its streams.',
    }),
    bodyLimit: Type.Integer({
      minimum: 1024,
      maximum: 256 * 1024 * 1024,
      default: 32 * 1024 * 1024,
      description: 'Most bytes of one request, including images.',
    }),
    agentTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 600,
      description: 'Seconds that a chat with an agent waits for its run.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link providersSettings}. */
export type ProvidersSettings = Static<typeof providersSettings>
