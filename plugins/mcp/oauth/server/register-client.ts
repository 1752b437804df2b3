import * as oauth from 'oauth4webapi'
import { oauthClientMetadata } from '#core/http/console/oauth-paths.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { isObject } from '#core/json/is-object.ts'
import { unusable } from '../discovery/document.ts'
import { guardedCalls } from './guarded-calls.ts'
import { clientMethods, methodFor } from './oauth-client.ts'
import type { OAuthClient } from './oauth-client.ts'

/** A registered client, and when its secret ends. */
export interface RegisteredClient {
  readonly client: OAuthClient
  readonly expiresAt: Date | null
}

/** Registers a client (RFC 7591). Throws `authorization_server_unusable`. */
export async function registerClient(
  outbound: Pick<Outbound, 'request'>,
  server: oauth.AuthorizationServer,
  redirectUri: string,
): Promise<RegisteredClient> {
  const { host } = new URL(server.issuer)
  const wanted = methodFor(server)
  if (wanted === undefined) throw unusable(`${host} supports no client without a key of its own.`)
  const metadata = { ...oauthClientMetadata(redirectUri), token_endpoint_auth_method: wanted }
  try {
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, guardedCalls(outbound))
    const given = await oauth.processDynamicClientRegistrationResponse(await withSecretEnd(response))
    return toRegistered(given, host, wanted)
  } catch (error) {
    if (!(error instanceof Error) || 'definition' in error) throw error
    throw unusable(`${host} does not register a client.`)
  }
}

// RFC 7591 requires the end of a secret; some servers leave it out of a secret that does not end.
async function withSecretEnd(response: Response): Promise<Response> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (!isObject(body) || body['client_secret'] === undefined || body['client_secret_expires_at'] !== undefined)
    return response
  const { status, headers } = response
  return new Response(JSON.stringify({ ...body, client_secret_expires_at: 0 }), { status, headers })
}

function toRegistered(given: oauth.OmitSymbolProperties<oauth.Client>, host: string, wanted: string): RegisteredClient {
  const {
    client_id: id,
    client_secret: secret,
    client_secret_expires_at: end,
    token_endpoint_auth_method: said,
  } = given
  const method = clientMethods.find((one) => one === (said ?? wanted))
  const isWhole = method === 'none' || typeof secret === 'string'
  if (id.length > 2_048 || method === undefined || !isWhole)
    throw unusable(`${host} registers a client that cannot be used.`)
  const hasEnd = typeof end === 'number' && end > 0 && end < 8.64e12
  return {
    client: { id, method, ...(method === 'none' ? {} : { secret: String(secret) }) },
    expiresAt: hasEnd && method !== 'none' ? new Date(end * 1_000) : null,
  }
}
