import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { cursor, listOf, namespaceQuery, scope, time } from './common.ts'
import { McpManifestTool } from './tools.ts'

const digest = Type.String({
  maxLength: 71,
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'Digest of the manifest.',
  examples: [`sha256:${'6f1c2a90'.repeat(8)}`],
})

// The form that the audit log keeps.
const words = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1_024,
    pattern: '^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}]+$',
    description: `${description} One line, at most 1,024 characters.`,
    examples: ['Read with the owner of the server.'],
  })

/** Query of `GET /api/mcp/approvals`. */
export const McpApprovalQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope), cursor: Type.Optional(cursor) },
  { additionalProperties: false },
)

/** Body of `POST /api/mcp/approvals/{ns}/{name}`. */
export const ApproveManifestBody = Type.Object(
  { digest, note: Type.Optional(words('Note on the approval.')) },
  { additionalProperties: false, title: 'ApproveManifest' },
)

/** Body of `POST /api/mcp/approvals/{ns}/{name}/reject`. */
export const RejectManifestBody = Type.Object(
  {
    digest: Type.Optional(described(digest, 'Digest of the manifest. Default: the one that waits.')),
    reason: words('Reason of the rejection.'),
  },
  { additionalProperties: false, title: 'RejectManifest' },
)

const decision = Type.Object(
  {
    state: described(Type.Enum(['approved', 'rejected']), 'The newest decision.', 'approved'),
    by: described(Type.String(), 'Account of the decider; `system` for manifests in use before approvals.', 'ann'),
    at: described(time, 'Time of the decision.'),
    reason: described(Type.Union([Type.String(), Type.Null()]), 'Words of the decider, or null.', null),
  },
  { title: 'McpManifestDecision', description: 'A decision on a manifest.' },
)

const change = Type.Object(
  {
    change: described(Type.Enum(['added', 'changed', 'removed']), 'How the tool differs.', 'changed'),
    tool: described(Type.String(), 'Name of the tool.', 'forecast'),
    before: Type.Optional(McpManifestTool),
    after: Type.Optional(McpManifestTool),
  },
  { title: 'McpToolChange' },
)

/** A manifest that waits for an approval. */
export const McpApproval = Type.Object(
  {
    namespace: described(Type.String(), 'Namespace of the server.', 'demo'),
    server: described(Type.String(), 'Name of the McpServer.', 'weather'),
    uid: described(Type.String(), 'UID of the McpServer.', '6f1c2a90-2f5e-4d1b-9c53-0b7d1c9e4a11'),
    url: described(Type.String(), 'Address of the server.', 'https://tools.example.com/mcp'),
    digest,
    acceptedDigest: described(
      Type.Union([Type.String(), Type.Null()]),
      'Digest of the manifest whose tools are used now, or null.',
      null,
    ),
    changes: Type.Array(change, { description: 'Tools that an approval would add, change or remove.' }),
    author: described(
      Type.Union([Type.String(), Type.Null()]),
      'Account that wrote the current spec, who may not approve; null if no authenticated write is known.',
      'ann',
    ),
    decision: described(Type.Union([decision, Type.Null()]), 'An earlier decision on this manifest, or null.', null),
  },
  { title: 'McpApproval' },
)

/** See {@link McpApproval}. */
export type McpApproval = Static<typeof McpApproval>

/** Response of `GET /api/mcp/approvals`. A page has the approvals of some servers, and may be empty before the last one. */
export const McpApprovalList = listOf(McpApproval)

/** Response of an approval or a rejection. */
export const DecidedMcpManifest = Type.Object(
  {
    namespace: described(Type.String(), 'Namespace of the server.', 'demo'),
    server: described(Type.String(), 'Name of the McpServer.', 'weather'),
    digest,
    state: described(Type.Enum(['approved', 'rejected']), 'The decision.', 'approved'),
    by: described(Type.String(), 'Account of the decider.', 'ben'),
  },
  { title: 'DecidedMcpManifest' },
)
