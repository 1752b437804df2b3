import type { FastifyPluginAsync } from 'fastify'
import { scopedPart } from '../endpoint/server-part.ts'
import { mountPublicRoute } from '../reply/public-route.ts'
import { OAUTH_CALLBACK_PATH, OAUTH_CLIENT_PATH, oauthClientMetadata } from './oauth-paths.ts'

/** The client document of this installation (OAuth Client ID Metadata Document): its address is the id of a public client. */
export function oauthClientRoute(publicUrl: string): FastifyPluginAsync {
  const clientUri = new URL(publicUrl).origin
  const document = {
    client_id: `${clientUri}${OAUTH_CLIENT_PATH}`,
    client_uri: clientUri,
    ...oauthClientMetadata(`${clientUri}${OAUTH_CALLBACK_PATH}`),
    token_endpoint_auth_method: 'none',
  }
  return scopedPart('mesh-oauth-client', ['mesh-gate'], (scope) => {
    mountPublicRoute(scope, {
      method: 'GET',
      url: OAUTH_CLIENT_PATH,
      handler: (_, reply) => reply.header('cache-control', 'public, max-age=3600').send(document),
    })
  })
}
