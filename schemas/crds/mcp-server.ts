import { Type } from 'typebox'
import type { Static } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { conditions, duration, observedGeneration, secretKeyRef } from '../kinds/parts.ts'

/** SHA-256 of a manifest, as a string. */
const digest = (description: string) => Type.String({ maxLength: 71, pattern: '^sha256:[0-9a-f]{64}$', description })

// Those that belong to the connection, the host or the protocol (RFC 9110, section 7.6.1).
const reservedHeaders = (
  'accept connection content-length content-type cookie expect forwarded host keep-alive last-event-id proxy-authorization ' +
  'proxy-connection te trailer traceparent tracestate transfer-encoding upgrade via x-forwarded-for x-forwarded-host x-forwarded-proto'
).split(' ')

const auth = Type.Object(
  {
    kind: Type.Enum(['bearer', 'header', 'oauth'], {
      description:
        'bearer: the token of secretRef in the header authorization. header: the value of secretRef in another header. oauth: the grant of each ' +
        'person; secretRef is then the secret of clientId at the authorization server.',
    }),
    header: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[a-z0-9-]+$',
        description: 'Name of the header in lowercase, for the kind header.',
      }),
    ),
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        pattern: '^[\\x21-\\x7e]+$',
        description:
          'Client of this installation at the authorization server, for the kind oauth; with a secretRef, a confidential one. Default: a document ' +
          'of metadata, or dynamic registration.',
      }),
    ),
    issuer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        pattern: '^https?://[^\\s?#@]+$',
        description: 'Authorization server among those that the server names, for the kind oauth. Default: the first.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'How the platform authenticates at the server. Default: bearer with a secretRef, otherwise nothing.',
    'x-kubernetes-validations': [
      {
        rule: "(self.kind == 'header') == has(self.header)",
        message: 'header is required for the kind header, and for no other',
        fieldPath: '.header',
      },
      {
        rule: `!has(self.header) || !(self.header in [${reservedHeaders.map((name) => `'${name}'`).join(', ')}] || self.header.startsWith('mcp-'))`,
        message: 'header is one that the platform sets itself',
        fieldPath: '.header',
      },
      {
        rule: "self.kind == 'oauth' || (!has(self.clientId) && !has(self.issuer))",
        message: 'clientId and issuer are for the kind oauth',
        fieldPath: '.kind',
      },
    ],
  },
)

const spec = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2_048,
      pattern: '^https?://[^\\s/?#@]+(/[^\\s#]*)?$',
      description: 'Streamable HTTP endpoint of the server, such as https://tools.example.com/mcp.',
    }),
    description: Type.Optional(Type.String({ maxLength: 1_024, description: 'What the server is for.' })),
    auth: Type.Optional(auth),
    secretRef: Type.Optional(
      secretKeyRef(
        'Secret that holds the token or the header for the server, or the secret of auth.clientId. It needs the label mesh.dev/mcp-credential=true and the annotation mesh.dev/origin.',
      ),
    ),
    acceptedManifest: Type.Optional(
      digest(
        'Digest of the manifest whose tools may be used. Defaults to the first manifest that was read. No effect where approvals are required ' +
          '(setting mcp.requireAcceptance).',
      ),
    ),
    refreshInterval: Type.Optional(
      duration(durationBounds.mcpRefresh, 'Interval between reads of the manifest. Defaults to 5m.'),
    ),
  },
  {
    additionalProperties: false,
    description: 'A server of tools.',
    'x-kubernetes-validations': [
      {
        rule: "!has(self.auth) || has(self.secretRef) || self.auth.kind == 'oauth'",
        message: 'secretRef is required for bearer and header',
        fieldPath: '.secretRef',
      },
      {
        rule: "!has(self.auth) || !has(self.secretRef) || self.auth.kind != 'oauth' || has(self.auth.clientId)",
        message: 'secretRef needs auth.clientId for the kind oauth, whose secret it is',
        fieldPath: '.secretRef',
      },
    ],
  },
)

// A string, since a merge patch would drop the nulls of an object, and the digest would no longer match the schema.
const schemaText = (description: string) => Type.String({ maxLength: 262_144, description })

const tool = Type.Object(
  {
    name: Type.String({ maxLength: 128, description: 'Name of the tool.' }),
    title: Type.Optional(Type.String({ maxLength: 256, description: 'Display name.' })),
    description: Type.Optional(
      Type.String({ maxLength: 16_384, description: 'What the tool does, according to the server.' }),
    ),
    inputSchema: schemaText('JSON Schema of the arguments, as text.'),
    outputSchema: Type.Optional(schemaText('JSON Schema of structured results, as text.')),
    annotations: Type.Optional(
      Type.Object(
        {
          title: Type.Optional(Type.String({ maxLength: 256, description: 'Display name.' })),
          readOnlyHint: Type.Optional(Type.Boolean({ description: 'Whether the tool changes nothing.' })),
          destructiveHint: Type.Optional(Type.Boolean({ description: 'Whether a change may destroy something.' })),
          idempotentHint: Type.Optional(
            Type.Boolean({ description: 'Whether a repeated call has no further effect.' }),
          ),
          openWorldHint: Type.Optional(Type.Boolean({ description: 'Whether the tool reaches other systems.' })),
        },
        { description: 'Hints of the server on the effect of the tool. They are claims, not facts.' },
      ),
    ),
  },
  { description: 'A tool as the server describes it.' },
)

const tools = (description: string) =>
  Type.Array(tool, { maxItems: 256, description, 'x-kubernetes-list-type': 'atomic' })

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    protocolVersion: Type.Optional(
      Type.String({ maxLength: 64, description: 'Revision of MCP that the server speaks.' }),
    ),
    manifestDigest: Type.Optional(digest('Digest of the accepted manifest. Only its tools may be used.')),
    approvedBy: Type.Optional(
      Type.String({
        maxLength: 512,
        description:
          'Account that approved the manifest, where approvals are required. spec.acceptedManifest then has no effect.',
      }),
    ),
    toolCount: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of accepted tools.' })),
    tools: Type.Optional(tools('The accepted tools.')),
    proposed: Type.Optional(
      Type.Object(
        {
          digest: digest('Digest of the manifest: approve it, or set spec.acceptedManifest to it.'),
          changes: Type.Array(Type.String({ maxLength: 160 }), {
            maxItems: 512,
            description: 'Tools that differ from the accepted ones: added, changed or removed.',
            'x-kubernetes-list-type': 'atomic',
          }),
          tools: tools('The tools that wait for acceptance.'),
        },
        { description: 'What the server offers now, where it is not accepted.' },
      ),
    ),
    failedCall: Type.Optional(
      Type.Object(
        {
          tool: Type.String({ maxLength: 128, description: 'Tool that was called.' }),
          reason: Type.String({ maxLength: 64, description: 'Why the call failed.' }),
          time: Type.String({ maxLength: 32, format: 'date-time', description: 'When the call failed.' }),
        },
        { description: 'The newest failure of a call, until a call succeeds. Written by the state role.' },
      ),
    ),
    conditions: Type.Optional(conditions),
  },
  { description: 'Tools of the server, as the manager has read them.' },
)

/** A server of the Model Context Protocol. */
export const McpServer = defineKind({
  kind: 'McpServer',
  plural: 'mcpservers',
  singular: 'mcpserver',
  shortNames: ['mcps'],
  scope: 'Namespaced',
  description: 'A server of tools that speaks the Model Context Protocol, with the manifest that was accepted.',
  spec,
  status,
  audited: [
    'url',
    'auth.kind',
    'auth.header',
    'auth.clientId',
    'auth.issuer',
    'secretRef.name',
    'secretRef.key',
    'acceptedManifest',
    'refreshInterval',
  ],
  printerColumns: [
    { name: 'Tools', type: 'integer', jsonPath: '.status.toolCount' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'URL', type: 'string', jsonPath: '.spec.url', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link McpServer}. */
export type McpServerSpec = Static<typeof spec>

/** See {@link McpServer}. */
export type McpServerStatus = Static<typeof status>

/** A tool in the manifest of a server. */
export type McpTool = Static<typeof tool>

/** A server in its wire format. */
export type McpServerObject = ObjectOf<typeof McpServer>
