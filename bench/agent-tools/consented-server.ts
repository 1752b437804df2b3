import type { IncomingMessage, ServerResponse } from 'node:http'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import { startAuthorizationServer } from '#plugins/mcp/testing/authorization-server.ts'
import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'
import { startProtectedServer } from '#plugins/mcp/testing/protected-server.ts'
import type { AllProcess } from '#test/flows/platform/embedded.ts'
import type { Scope } from '#test/harness/scope.ts'

/** Requests that servers have received so far. */
export interface SeenRequests {
  readonly server: number
  readonly authorization: number
}

/** A connected server of tools. */
export interface ConnectedServer {
  readonly name: string
  seen(): SeenRequests
}

type Ready = Pick<AllProcess, 'ready'>

const namespace = 'default'
const token = 'token-of-the-bench'

/** Sends a request to the API as the developer. Throws unless it succeeded. */
export async function askApi({ ready }: Ready, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${ready.url}/api${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.tokens.developer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

/** Connects a server with a static credential. */
export async function connectStatic(t: Scope, platform: Ready): Promise<ConnectedServer> {
  const name = 'static'
  const refuse = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    if (request.headers.authorization === `Bearer ${token}`) return false
    response.writeHead(401).end()
    return true
  }
  const server = await startMcpServer(t, '2025-11-25', refuse)
  await askApi(platform, '/mcp/connect', {
    namespace,
    name,
    url: server.url,
    credential: { kind: 'bearer', value: token },
  })
  return { name, seen: () => ({ server: server.bearers.length, authorization: 0 }) }
}

/** Connects a server to which the developer consents. Its token does not end during the bench. */
export async function connectConsented(t: Scope, platform: Ready): Promise<ConnectedServer> {
  const name = 'consented'
  const issuer = await startAuthorizationServer(t)
  const server = await startProtectedServer(t, issuer)
  await askApi(platform, '/mcp/connect', { namespace, name, url: server.url, credential: { kind: 'oauth' } })
  const begun = await askApi(platform, '/mcp/oauth/grant', { namespace, server: name })
  const callback = await signInAtIssuer(String(begun['authorizationUrl']))
  await askApi(platform, '/mcp/oauth/complete', Object.fromEntries(callback.searchParams))
  // The server of the test asks the issuer in this process, without a request.
  return { name, seen: () => ({ server: server.bearers.length, authorization: issuer.requests.length }) }
}
