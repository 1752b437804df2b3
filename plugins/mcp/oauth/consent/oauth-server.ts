import { Fail } from '#core/errors/domain-error.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { mcpErrors } from '../../contract/errors.ts'

/** Reads a server as the caller. Throws the refusal of the cluster, and `grant_not_supported` for a server without grants. */
export async function readOAuthServer(
  { cluster }: Pick<Caller, 'cluster'>,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<McpServerObject> {
  const server = await cluster.get<McpServerObject>(McpServer, ref, { signal })
  if (server.spec.auth?.kind === 'oauth') return server
  throw new Fail(mcpErrors.grant_not_supported, 'spec.auth.kind of the MCP server is not oauth.')
}
