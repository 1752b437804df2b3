import type { RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Scope } from '#test/harness/scope.ts'
import { listenRaw } from './mcp-server.ts'

/** A response of a server that lies; `silent` never ends. */
export type HostileResponse =
  | { readonly json: unknown; readonly status?: number }
  | { readonly raw: string }
  | { readonly redirect: string }
  | 'silent'

/** An authorization server whose metadata and tokens a test chooses. */
export interface HostileServer {
  readonly issuer: string
  /** Paths and bodies of its requests. */
  readonly requests: string[]
  /** The next responses of the token endpoint; the last one repeats. */
  respond(...responses: readonly HostileResponse[]): void
  /** Accepts every token: a resource server that believes it. */
  accountOf(token: string, resource: string): Promise<string | undefined>
}

const metadataPath = '/.well-known/oauth-authorization-server'

/** Starts the server. `metadata` are fields in place of true ones, or a whole response. */
export async function startHostileServer(
  t: Scope,
  metadata: { readonly fields: object } | { readonly response: HostileResponse } = { fields: {} },
): Promise<HostileServer> {
  const requests: string[] = []
  let queue: HostileResponse[] = [{ json: tokensOf('ada') }]
  const listener: RequestListener = (request, response) => {
    const { url = '', headers } = request
    const issuer = `http://${headers.host}`
    text(request).then(
      (body) => {
        requests.push(`${url} ${body}`)
        if (url === metadataPath)
          return send(response, 'response' in metadata ? metadata.response : { json: truth(issuer, metadata.fields) })
        const [next = 'silent'] = queue.length > 1 ? queue.splice(0, 1) : queue
        return send(response, url === '/token' ? next : { json: {}, status: 404 })
      },
      () => response.destroy(),
    )
  }
  const issuer = new URL(await listenRaw(t, listener)).origin
  return {
    issuer,
    requests,
    respond: (...responses) => (queue = [...responses]),
    accountOf: async (token) => token,
  }
}

/** A response of tokens whose access token names a subject, as a JWT does. */
export function tokensOf(subject: string, more: object = {}): object {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = [part({ alg: 'none' }), part({ sub: subject }), 'signature'].join('.')
  return { access_token: token, refresh_token: 'refresh-canary', token_type: 'bearer', expires_in: 20, ...more }
}

function truth(issuer: string, fields: object): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...fields,
  }
}

function send(response: ServerResponse, given: HostileResponse): void {
  if (given === 'silent') return
  if ('redirect' in given) response.writeHead(307, { location: given.redirect }).end()
  else if ('raw' in given) response.writeHead(200, { 'content-type': 'application/json' }).end(given.raw)
  else response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(given.json))
}
