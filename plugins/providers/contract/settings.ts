import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const providersSettings = Type.Object(
  {
    connect: Type.Object(
      {
        enabled: Type.Boolean({
          default: true,
          hardenedDefault: false,
          description:
            'Whether providers are connected over the API (setting bff.providerConnect.enabled). Otherwise its routes are 404, and providers are written with kubectl.',
        }),
      },
      { additionalProperties: false, description: 'Connecting providers over the API.' },
    ),
    firstByteTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 120,
      description: 'Maximum seconds until the response headers of a provider; routes and providers can override it.',
    }),
    idleTimeout: Type.Integer({
      minimum: 1,
      maximum: 170,
      default: 120,
      description: 'Maximum seconds between two chunks of a provider. Launchers wait a little longer for the gateway.',
    }),
    connections: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 256,
      description: 'Maximum number of connections, and so of streams, per provider.',
    }),
    bodyLimit: Type.Integer({
      minimum: 1024,
      maximum: 256 * 1024 * 1024,
      default: 32 * 1024 * 1024,
      description: 'Maximum size of a request in bytes, including images.',
    }),
    filterLimit: Type.Integer({
      minimum: 64 * 1024,
      maximum: 256 * 1024 * 1024,
      default: 8 * 1024 * 1024,
      description: 'Maximum number of characters of a response that are held back for filters.',
    }),
    agentTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 600,
      description: 'Seconds that a chat completion of an agent waits for its run.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link providersSettings}. */
export type ProvidersSettings = Static<typeof providersSettings>
