import { Type } from 'typebox'
import type { Static } from 'typebox'
import { listOf, time, timeOrNull } from './common.ts'
import { described, exemplified } from '../values/described.ts'

const strict = { additionalProperties: false }

/** Characters of a scope (RFC 6749, section 3.3). */
const scopePattern = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,200}$'

const about = { maxLength: 63, description: 'Namespace of the MCP server.', examples: ['demo'] }
const namespace = Type.String(about)
const namespaceOrDefault = Type.Optional(Type.String({ ...about, default: 'default' }))
const server = Type.String({
  minLength: 1,
  maxLength: 253,
  description: 'Name of the MCP server.',
  examples: ['tickets'],
})
const scopes = (description: string) =>
  Type.Array(Type.String({ pattern: scopePattern }), { maxItems: 50, description, examples: [['tickets.read']] })

/** Body of `POST /api/mcp/oauth/grant`. */
export const GrantInput = Type.Object(
  {
    namespace: namespaceOrDefault,
    server,
    scopes: Type.Optional(scopes('Scopes to ask for. Default: those that the server asks for.')),
    returnTo: Type.Optional(
      Type.String({
        maxLength: 2_000,
        pattern: '^/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$',
        description: 'Path of this origin at which the console continues.',
        examples: ['/runs/0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a08'],
      }),
    ),
  },
  { ...strict, title: 'McpGrantInput' },
)

/** See {@link GrantInput}. */
export type GrantInput = Static<typeof GrantInput>

/** Response of `POST /api/mcp/oauth/grant`. */
export const BegunConsent = Type.Object(
  {
    authorizationUrl: Type.String({
      description: 'Page of the authorization server, for the browser of the caller.',
      examples: ['https://auth.example.com/authorize?response_type=code&state=Qq8'],
    }),
    expiresAt: described(time, 'The consent must be complete by then.'),
  },
  { title: 'McpConsent' },
)

/** Body of `POST /api/mcp/oauth/complete`: the parameters with which the authorization server redirects. */
export const ConsentResult = Type.Object(
  {
    state: Type.String({ minLength: 1, maxLength: 512, description: 'The state.', examples: ['Qq8'] }),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_192,
        writeOnly: true,
        description: 'The code.',
        examples: ['SplxlOBe'],
      }),
    ),
    iss: Type.Optional(
      Type.String({
        maxLength: 2_048,
        description: 'The issuer (RFC 9207).',
        examples: ['https://auth.example.com'],
      }),
    ),
    error: Type.Optional(
      Type.String({ maxLength: 256, description: 'Why there is no code.', examples: ['access_denied'] }),
    ),
  },
  { ...strict, title: 'McpConsentResult' },
)

/** See {@link ConsentResult}. */
export type ConsentResult = Static<typeof ConsentResult>

const grant = {
  namespace,
  server,
  scopes: scopes('Scopes that were granted, as far as the authorization server says.'),
  expiresAt: described(timeOrNull, 'End of the access token; null if unknown.'),
  refreshable: Type.Boolean({ description: 'The access token is refreshed without the person.', examples: [true] }),
  usable: Type.Boolean({
    description: 'False after a refused token: the next call asks for a consent.',
    examples: [true],
  }),
  createdAt: described(time, 'Time of the consent.'),
}

/** A grant of the caller. */
export const McpGrant = Type.Object(grant, { title: 'McpGrant' })

/** See {@link McpGrant}. */
export type McpGrant = Static<typeof McpGrant>

/** Response of `POST /api/mcp/oauth/complete`. */
export const CompletedConsent = Type.Object(
  {
    ...grant,
    returnTo: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Path of this origin to continue at.' }),
      '/runs/0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a08',
    ),
  },
  { title: 'McpCompletedConsent' },
)

/** Response of `GET /api/mcp/oauth/grants`: all of them, since their number is bounded. */
export const McpGrantList = listOf(McpGrant)

/** Parameters of `DELETE /api/mcp/oauth/grant/{server}`. */
export const GrantParams = Type.Object({ server })

/** Query of `DELETE /api/mcp/oauth/grant/{server}`. */
export const GrantQuery = Type.Object({ namespace: namespaceOrDefault }, strict)
