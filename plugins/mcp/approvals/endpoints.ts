import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { parseRef } from '#core/kube/names.ts'
import {
  ApproveManifestBody,
  DecidedMcpManifest,
  McpApprovalList,
  McpApprovalQuery,
  RejectManifestBody,
} from '#schemas/api/mcp-approvals.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { approveManifest, rejectManifest } from './decide.ts'
import type { DecideOptions, ManifestDecision } from './decide.ts'
import { listApprovals } from './list-approvals.ts'

const exampleDigest = `sha256:${'6f1c2a90'.repeat(8)}`
const examples = {
  approve: {
    approve: { summary: 'The manifest that was read', value: { digest: exampleDigest, note: 'Read with the owner.' } },
  },
  reject: { reject: { summary: 'The manifest that waits', value: { reason: 'The description asks for passwords.' } } },
}
const authz = {
  kind: 'review',
  verb: 'approve',
  resource: 'mcpapprovals',
  namespace: { in: 'path', field: 'ns' },
  name: 'name',
} as const

/** Routes of approvals of manifests. */
export function approvalEndpoints(options: DecideOptions): readonly AnyEndpoint[] {
  return [list(options), approve(options), reject(options)]
}

function list(options: DecideOptions): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/mcp/approvals',
    id: 'listMcpApprovals',
    summary: 'List the manifests of MCP servers that wait, with what an approval would change.',
    authz: { kind: 'kube', verb: 'list', resource: McpServer.plural },
    query: McpApprovalQuery,
    response: { 200: McpApprovalList },
    handle: async ({ caller, cursors, directory, query, signal }) =>
      listApprovals(options, { caller, cursors, directory, query, signal }),
  })
}

function approve(options: DecideOptions): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/approvals/:ns/:name',
    id: 'approveMcpManifest',
    summary: 'Approve the manifest of an MCP server that another person has written.',
    docs: { examples: examples.approve },
    authz,
    audit: { action: 'approve', resourceKind: McpServer.kind },
    body: ApproveManifestBody,
    response: { 200: DecidedMcpManifest },
    handle: async (call) =>
      decide(options, call, {
        as: approveManifest,
        state: 'approved',
        digest: call.body.digest,
        reason: call.body.note,
      }),
  })
}

function reject(options: DecideOptions): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/approvals/:ns/:name/reject',
    id: 'rejectMcpManifest',
    summary: 'Reject a manifest of an MCP server, or revoke its approval.',
    docs: { examples: examples.reject },
    authz,
    audit: { action: 'reject', resourceKind: McpServer.kind },
    body: RejectManifestBody,
    response: { 200: DecidedMcpManifest },
    handle: async (call) =>
      decide(options, call, {
        as: rejectManifest,
        state: 'rejected',
        digest: call.body.digest,
        reason: call.body.reason,
      }),
  })
}

interface GivenDecision extends Pick<ManifestDecision, 'digest' | 'reason'> {
  readonly as: typeof approveManifest
  readonly state: 'approved' | 'rejected'
}

async function decide(
  options: DecideOptions,
  {
    caller,
    params: { ns, name },
    traceparent,
  }: Pick<Call<{ ns: string; name: string }, unknown, unknown>, 'caller' | 'params' | 'traceparent'>,
  { as, state, digest, reason }: GivenDecision,
) {
  const ref = parseRef({ namespace: ns, name }, [':ns', ':name'])
  const decided = await as(options, caller, { ref, digest, reason, traceparent })
  return { namespace: ref.namespace, server: ref.name, digest: decided, state, by: caller.username }
}
