import { Type } from 'typebox'
import type { Static } from 'typebox'
import { McpServer } from '../crds/mcp-server.ts'
import { described } from '../values/described.ts'
import { clusterObject, dryRun } from './common.ts'
import { McpManifestTool } from './tools.ts'

/** A credential as a request sends it. */
export const McpCredential = Type.Object(
  {
    kind: Type.Enum(['none', 'bearer', 'header', 'oauth'], {
      description:
        'none: the server needs nothing. bearer: a token in `authorization`. header: a value in the header `header`. oauth: each person grants access.',
    }),
    value: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_192,
        pattern: '^[\\x20-\\x7e]+$',
        writeOnly: true,
        description:
          'The token or the value, or the secret of `clientId`. It is stored in a Secret and returned by no operation.',
        examples: ['example-3f9a'],
      }),
    ),
    header: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[a-z0-9-]+$',
        description: 'Name of the header in lowercase, for the kind header.',
        examples: ['x-api-key'],
      }),
    ),
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        pattern: '^[\\x21-\\x7e]+$',
        description:
          'Client that is registered at the authorization server, for the kind oauth. Default: the platform registers one, where the server lets it.',
        examples: ['Iv1.8a61f9b3a7aba766'],
      }),
    ),
  },
  { additionalProperties: false, title: 'McpCredential', description: 'How the platform authenticates at a server.' },
)

/** See {@link McpCredential}. */
export type McpCredential = Static<typeof McpCredential>

const namespace = Type.String({
  maxLength: 63,
  default: 'default',
  description: 'Namespace of the server.',
  examples: ['demo'],
})

/** Body of `POST /api/mcp/connect`. */
export const ConnectMcpServerBody = Type.Object(
  {
    namespace: Type.Optional(namespace),
    name: Type.String({ maxLength: 63, description: 'Name of the server (RFC 1123).', examples: ['weather'] }),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        pattern: '^https?://[^\\s/?#@]+(/[^\\s#]*)?$',
        description: 'Streamable HTTP endpoint. Required without `connectorId`.',
        examples: ['https://tools.example.com/mcp'],
      }),
    ),
    connectorId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Id of an entry of `GET /api/mcp/connectors`, instead of the URL.',
        examples: ['shipped:deepwiki'],
      }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'What the server is for.', examples: ['Forecasts.'] }),
    ),
    credential: Type.Optional(McpCredential),
  },
  { additionalProperties: false, title: 'ConnectMcpServer' },
)

/** See {@link ConnectMcpServerBody}. */
export type ConnectMcpServerBody = Static<typeof ConnectMcpServerBody>

/** Query of operations on MCP servers that store something. */
export const McpWriteQuery = Type.Object({ dryRun: Type.Optional(dryRun) }, { additionalProperties: false })

const digest = Type.String({
  description: 'SHA-256 of the manifest.',
  examples: ['sha256:6f1c2a902f5e4d1b9c530b7d1c9e4a116f1c2a902f5e4d1b9c530b7d1c9e4a11'],
})

const McpManifest = Type.Object(
  {
    digest,
    protocolVersion: described(Type.String(), 'Revision of MCP that the server speaks.', '2025-11-25'),
    tools: Type.Array(McpManifestTool, {
      description: 'Tools that the server offers, by name. Texts are those of the server.',
    }),
  },
  { title: 'McpManifest', description: 'What a server offers.' },
)

const HandshakeStep = Type.Object(
  {
    step: described(
      Type.Enum(['resolve', 'connect', 'initialize', 'list_tools']),
      'Step of the handshake that succeeded.',
      'initialize',
    ),
    ms: described(Type.Integer({ minimum: 0 }), 'Time in milliseconds; 0 if it is part of the step before.', 84),
  },
  { title: 'McpHandshakeStep' },
)

/** Response of `POST /api/mcp/connect`: the object, and what the server offered. */
export const ConnectedMcpServer = Type.Object(
  {
    ...clusterObject(McpServer).properties,
    manifest: Type.Optional(McpManifest),
    handshake: Type.Array(HandshakeStep, {
      description: 'Steps in their order; the last ones are missing while the server waits for a grant.',
    }),
  },
  {
    title: 'ConnectedMcpServer',
    description:
      'A connected server. The manifest is absent until a person has granted access to a server of kind oauth.',
  },
)

/** Body of `POST /api/mcp/org-credential`. */
export const OrgCredentialBody = Type.Object(
  {
    namespace: Type.Optional(namespace),
    server: Type.String({ maxLength: 63, description: 'Name of the McpServer.', examples: ['weather'] }),
    credential: McpCredential,
  },
  { additionalProperties: false, title: 'OrgCredential' },
)

/** See {@link OrgCredentialBody}. */
export type OrgCredentialBody = Static<typeof OrgCredentialBody>

const referrer = (kind: string, example: string) => ({
  namespace: described(Type.String(), `Namespace of the ${kind}.`, 'demo'),
  name: described(Type.String(), `Name of the ${kind}.`, example),
})

const listOrNull = <Item extends ReturnType<typeof Type.Object>>(item: Item, description: string) =>
  Type.Union([Type.Array(item), Type.Null()], { description: `${description}; null if the caller may list none.` })

/** Response of `GET /api/mcpservers/{ns}/{name}/references`. */
export const McpServerReferences = Type.Object(
  {
    bindings: listOrNull(Type.Object(referrer('binding', 'weather')), 'McpToolBindings of the server'),
    registries: listOrNull(Type.Object(referrer('registry', 'support')), 'ToolRegistries with one of these bindings'),
    agents: listOrNull(
      Type.Object({
        ...referrer('agent', 'hello'),
        tools: Type.Array(Type.String(), { description: 'Entries of `spec.tools`.', examples: [['weather']] }),
      }),
      'Agents that use one of these bindings or registries, of the namespaces that the caller may list',
    ),
    complete: described(Type.Boolean(), 'False if more objects exist than one response reads.', true),
  },
  { title: 'McpServerReferences' },
)
