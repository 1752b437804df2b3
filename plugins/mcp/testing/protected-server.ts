import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Scope } from '#test/harness/scope.ts'
import type { TestAuthorizationServer } from './authorization-server.ts'
import { startMcpServer } from './mcp-server.ts'
import type { ToolServer } from './mcp-server.ts'

/** A server of tools that wants a token of an authorization server. */
export interface ProtectedServer extends ToolServer {
  /** Accounts of the accepted requests. */
  readonly accounts: string[]
  /** From now on, it refuses every token that it has seen. */
  refuseSeen(): void
  /** From now on, it refuses every token. */
  refuseAll(): void
  /** From now on, it refuses tokens without this scope, with a challenge that asks for `asked`. */
  require(scope: string, asked?: string): void
  /** Shows no challenge: its metadata is at the well-known address only. */
  hideChallenge(): void
  /** Lets anyone initialize a session; other requests without a token get a challenge that asks for `scope`. */
  challengeLate(scope: string): void
}

/** Starts an MCP server in front of which stands a resource server of RFC 9728. */
export async function startProtectedServer(
  t: Scope,
  at: Pick<TestAuthorizationServer, 'issuer' | 'accountOf'> & Partial<Pick<TestAuthorizationServer, 'scopesOf'>>,
): Promise<ProtectedServer> {
  const seen = new Set<string>()
  const refused = new Set<string>()
  const accounts: string[] = []
  let needed: { readonly scope: string; readonly asked: string } | undefined
  let isHidden = false
  let late: string | undefined
  let isClosed = false
  const first = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const origin = `http://${request.headers.host}`
    const resource = `${origin}/mcp`
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const document = { resource, authorization_servers: [at.issuer], scopes_supported: ['tickets.read'] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
      return true
    }
    // A client names the revision in each request after the initialization.
    if (late !== undefined && request.headers['mcp-protocol-version'] === undefined) return false
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const account = token === '' || isClosed || refused.has(token) ? undefined : await at.accountOf(token, resource)
    seen.add(token)
    if (account !== undefined && needed !== undefined && !(await at.scopesOf?.(token))?.includes(needed.scope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${needed.asked}", resource_metadata="${resource}"`
      response.writeHead(403, { 'www-authenticate': challenge }).end()
      return true
    }
    if (account !== undefined) {
      accounts.push(account)
      return false
    }
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="${late ?? 'tickets.read'}"`
    response.writeHead(401, isHidden ? {} : { 'www-authenticate': challenge }).end()
    return true
  }
  const server = await startMcpServer(t, '2025-11-25', first)
  return {
    ...server,
    accounts,
    refuseSeen: () => {
      for (const token of seen) refused.add(token)
    },
    refuseAll: () => (isClosed = true),
    require: (scope, asked = scope) => (needed = { scope, asked }),
    hideChallenge: () => (isHidden = true),
    challengeLate: (scope) => (late = scope),
  }
}
