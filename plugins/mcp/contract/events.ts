import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'
import { described } from '#schemas/values/described.ts'

const digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })
const reason = Type.Optional(
  Type.String({ maxLength: 1_024, description: 'Words of the decider; absent without any.' }),
)
const seenBy = { verb: 'list', resource: 'mcpapprovals' } as const
const detail = ['digest', 'decisionReason'] as const

const decidedData = Type.Object({ digest: described(digest, 'Digest of the manifest.'), decisionReason: reason })

/** See {@link manifestApproved}. */
export type DecidedManifest = Static<typeof decidedData>

/** The tools of a manifest may be used. The subject is the McpServer with its uid. */
export const manifestApproved: EventType<DecidedManifest> = defineEvent({
  plugin: 'mcp',
  fact: 'manifest-approved',
  summary: 'The manifest of an MCP server was approved.',
  data: decidedData,
  audit: { action: 'approve', resourceKind: 'McpServer', detail },
  seenBy,
})

/** The tools of a manifest may not be used, or no longer. */
export const manifestRejected: EventType<DecidedManifest> = defineEvent({
  plugin: 'mcp',
  fact: 'manifest-rejected',
  summary: 'The manifest of an MCP server was rejected.',
  data: decidedData,
  audit: { action: 'reject', resourceKind: 'McpServer', detail },
  seenBy,
})

/** From here on each digest needs an approval; those in use before have that of the system. */
export const approvalsBegan: EventType<Record<string, never>> = defineEvent({
  plugin: 'mcp',
  fact: 'approvals-began',
  summary: 'Manifests of MCP servers need an approval from now on.',
  data: Type.Unsafe<Record<string, never>>({ type: 'object', additionalProperties: false, properties: {} }),
  seenBy: 'none',
})

const publishedData = Type.Object({
  title: Type.String({ description: 'Title, for people.' }),
  description: Type.String({ description: 'What the server is for.' }),
  tags: Type.Array(Type.String(), { description: 'Words to find it by.' }),
  url: Type.String({ description: 'Address of the server at that time.' }),
  auth: Type.String({ description: 'none, bearer, header or oauth.' }),
  header: Type.Optional(Type.String({ description: 'Name of the header, for header.' })),
  visibleTo: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Namespaces that see it; null: all of them. Empty: it is no longer published.',
  }),
})

/** See {@link serverPublished}. */
export type PublishedServer = Static<typeof publishedData>

/** A server was published as a connector, with new texts or visibility. */
export const serverPublished: EventType<PublishedServer> = defineEvent({
  plugin: 'mcp',
  fact: 'server-published',
  summary: 'An MCP server was published as a connector.',
  data: publishedData,
  audit: { action: 'publish', resourceKind: 'McpServer' },
  seenBy: { verb: 'list', resource: 'mcpservers' },
})

/** Stream of the decisions on a server, and of its entry as a connector. */
export function streamOfServer(uid: string): string {
  return `mcp/${uid}`
}

const grantData = Type.Object({
  grantId: Type.String({ format: 'uuid', description: 'UUIDv7 of the grant.' }),
  subject: Type.String({ description: 'User who consented.' }),
  server: Type.String({ description: 'Name of the McpServer.' }),
  serverUid: Type.String({ description: 'UID of the McpServer.' }),
})

// Who uses which tools concerns that person and the auditors only.
const seenByNone = 'none'

/** A person granted access to a server. Neither a token nor a scope is part of any event. */
export const grantCreated: EventType<Static<typeof grantData>> = defineEvent({
  plugin: 'mcp',
  fact: 'grant-created',
  summary: 'A person granted access to an MCP server.',
  data: grantData,
  audit: { action: 'grant.create', resourceKind: 'McpGrant' },
  seenBy: seenByNone,
})

/** A person revoked a grant. */
export const grantRevoked: EventType<Static<typeof grantData>> = defineEvent({
  plugin: 'mcp',
  fact: 'grant-revoked',
  summary: 'A person revoked a grant of an MCP server.',
  data: grantData,
  audit: { action: 'grant.revoke', resourceKind: 'McpGrant' },
  seenBy: seenByNone,
})
