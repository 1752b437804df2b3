import * as oauth from 'oauth4webapi'

/** A client at an authorization server: configured, described by a document, or registered. */
export interface OAuthClient {
  readonly id: string
  readonly secret?: string
  readonly method: ClientMethod
  /** Its secret is that of `spec.secretRef`, which changes. */
  readonly isConfigured?: true
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
  return method === 'client_secret_basic' ? basicAuth(secret) : oauth.None()
}

// RFC 6749, section 2.3.1. The library also encodes characters that form encoding leaves as they are, such as `-`; many servers do not decode.
function basicAuth(secret: string): oauth.ClientAuth {
  return (_, { client_id: id }, __, headers) => {
    const credentials = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')
    headers.set('authorization', `Basic ${credentials}`)
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** The method for a server, whose metadata lists what it supports; undefined if it supports none of ours. */
export function methodFor(server: oauth.AuthorizationServer): ClientMethod | undefined {
  const supported = server.token_endpoint_auth_methods_supported ?? ['none', 'client_secret_basic']
  return clientMethods.find((method) => supported.includes(method))
}

/** The method of a client with a secret (RFC 8414, section 2: Basic where nothing is listed). */
export function secretMethodFor(server: oauth.AuthorizationServer): ClientMethod | undefined {
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return (['client_secret_basic', 'client_secret_post'] as const).find((method) => supported.includes(method))
}
