import * as oauth from 'oauth4webapi'

/** A client at an authorization server: configured, described by a document, or registered. */
export interface OAuthClient {
  readonly id: string
  readonly secret?: string
  readonly method: ClientMethod
}

/** How a client authenticates at the token endpoint, in the order of preference. */
export const clientMethods = ['none', 'client_secret_post', 'client_secret_basic'] as const
/** One of `clientMethods`. */
export type ClientMethod = (typeof clientMethods)[number]

/** The client and its authentication as the library takes them. */
export function libraryClient({ id, secret = '', method }: OAuthClient) {
  return { client: { client_id: id }, authentication: authenticationOf(method, secret) }
}

function authenticationOf(method: ClientMethod, secret: string): oauth.ClientAuth {
  if (method === 'client_secret_post') return oauth.ClientSecretPost(secret)
  return method === 'client_secret_basic' ? oauth.ClientSecretBasic(secret) : oauth.None()
}

/** The method for a server, whose metadata lists what it supports; undefined if it supports none of ours. */
export function methodFor({ token_endpoint_auth_methods_supported: given }: oauth.AuthorizationServer) {
  const supported = given ?? ['none', 'client_secret_basic']
  return clientMethods.find((method) => supported.includes(method))
}
