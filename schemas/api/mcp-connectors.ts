import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { listOf, namespaceQuery, pageQuery, scope, time } from './common.ts'

// One line: titles and tags are shown in lists.
const LINE = '^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}]+$'

const title = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: LINE,
  description: 'Title, for people.',
  examples: ['Weather'],
})
const description = Type.String({
  minLength: 1,
  maxLength: 1_024,
  pattern: LINE,
  description: 'What the server is for.',
  examples: ['Forecasts for every city.'],
})
const tags = Type.Array(Type.String({ maxLength: 40, pattern: '^[a-z0-9][a-z0-9-]*$' }), {
  maxItems: 16,
  uniqueItems: true,
  description: 'Words to find it by, in lowercase.',
  examples: [['weather']],
})
const visibleTo = Type.Union(
  [Type.Literal('all'), Type.Array(Type.String({ maxLength: 63 }), { maxItems: 200, uniqueItems: true })],
  { description: '`all`, or the namespaces that see it; an empty list ends the publication.', examples: ['all'] },
)

/** Body of `POST /api/mcp/publish`. */
export const PublishMcpServerBody = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({ maxLength: 63, default: 'default', description: 'Namespace of the server.', examples: ['demo'] }),
    ),
    server: Type.String({ maxLength: 63, description: 'Name of the McpServer.', examples: ['weather'] }),
    title,
    description,
    tags: Type.Optional(tags),
    visibleTo,
  },
  { additionalProperties: false, title: 'PublishMcpServer' },
)

/** See {@link PublishMcpServerBody}. */
export type PublishMcpServerBody = Static<typeof PublishMcpServerBody>

/** Query of `GET /api/mcp/connectors`. */
export const ConnectorQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    q: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the title, the description or a tag.' })),
    ...pageQuery,
  },
  { additionalProperties: false },
)

/** A server that can be connected. */
export const McpConnector = Type.Object(
  {
    id: described(Type.String(), 'Id for `POST /api/mcp/connect`.', 'shipped:deepwiki'),
    source: described(Type.Enum(['published', 'shipped']), 'Published here, or shipped with the platform.', 'shipped'),
    title: described(Type.String(), 'Title, for people.', 'DeepWiki'),
    description: described(Type.String(), 'What the server is for.', 'Questions about public GitHub repositories.'),
    tags: described(Type.Array(Type.String()), 'Words to find it by.', ['documentation']),
    url: described(Type.String(), 'Address of the server.', 'https://mcp.deepwiki.com/mcp'),
    auth: described(
      Type.Enum(['none', 'bearer', 'header', 'oauth']),
      'How a server authenticates: `kind` of the credential.',
      'none',
    ),
    header: Type.Optional(described(Type.String(), 'Name of the header, for header.', 'x-api-key')),
    asOf: Type.Optional(
      described(Type.String({ format: 'date' }), 'Day of the entry, for a shipped one.', '2026-11-30'),
    ),
    documentation: Type.Optional(
      described(
        Type.String(),
        'Documentation of a shipped server.',
        'https://docs.devin.ai/work-with-devin/deepwiki-mcp',
      ),
    ),
    publishedBy: Type.Optional(described(Type.String(), 'Account that published it.', 'ann')),
    publishedAt: Type.Optional(described(time, 'Time of the publication.')),
  },
  { title: 'McpConnector' },
)

/** See {@link McpConnector}. */
export type McpConnector = Static<typeof McpConnector>

/** Response of `GET /api/mcp/connectors`. */
export const McpConnectorList = listOf(McpConnector)
