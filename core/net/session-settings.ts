import { Type } from 'typebox'

const LOOPBACK = String.raw`http://(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?`

/** Settings of the sessions of browsers. */
export const sessionSettings = Type.Object({
  publicUrl: Type.Optional(
    Type.String({
      pattern: `^(?:https://[^/?#@\\s]+|${LOOPBACK})$`,
      maxLength: 300,
      description:
        'Origin at which browsers reach the API, without a path; plain http on this machine only. Needed where a proxy changes Host, and by sessions.oidc.',
    }),
  ),
  idleMinutes: Type.Integer({
    minimum: 1,
    maximum: 43_200,
    default: 480,
    description: 'Minutes after which a session without a request of its page ends.',
  }),
  absoluteHours: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 24,
    description: 'Hours after which a session ends. It ends with its token if that is earlier.',
  }),
})
