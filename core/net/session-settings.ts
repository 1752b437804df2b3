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
  oidc: Type.Optional(
    Type.Object(
      {
        issuer: Type.String({
          pattern: `^(?:https://[^?#@\\s]+|${LOOPBACK}(?:/[^?#@\\s]*)?)$`,
          maxLength: 300,
          description: 'Issuer of OpenID Connect, exactly as in its tokens and as the API server is configured.',
        }),
        clientId: Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Client of this installation at the issuer: the audience that the API server accepts.',
        }),
        clientSecret: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1_024,
            description: 'Secret of the client. Default: none, for a public client with PKCE.',
          }),
        ),
        scopes: Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$' }), {
          default: ['openid', 'email', 'profile'],
          minItems: 1,
          maxItems: 20,
          description: 'Scopes to ask for. They must contain openid.',
        }),
        title: Type.String({
          default: 'single sign-on',
          minLength: 1,
          maxLength: 60,
          description: 'Name of the issuer on the page of the sign-in.',
        }),
      },
      { description: 'Sign-in of browsers with OpenID Connect. The ID token is the bearer.' },
    ),
  ),
})
