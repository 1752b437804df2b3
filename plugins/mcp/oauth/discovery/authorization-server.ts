import type { AuthorizationServer } from 'oauth4webapi'
import { readDocument, stringOf, stringsOf, unreachable, unusable } from './document.ts'
import type { Discovering, MetadataDocument } from './document.ts'

const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const
const lists = [
  'scopes_supported',
  'token_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_methods_supported',
] as const

/** Metadata of an authorization server, checked: it supports the code flow with PKCE. */
export interface KnownServer extends AuthorizationServer {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
}

/**
 * Reads the metadata of an issuer, by RFC 8414 and by OpenID Connect Discovery in the order of MCP. The document must name this issuer, and PKCE with
 * S256. The addresses of its endpoints are checked as every address from outside.
 */
export async function findAuthorizationServer(discovering: Discovering, issuer: string): Promise<KnownServer> {
  const url = URL.parse(issuer)
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw unusable('The MCP server names an issuer that is no URL without query and fragment.')
  for (const address of addressesOf(url)) {
    const document = await readDocument(discovering, address)
    if (document !== undefined) return checkServer(discovering, url, document)
  }
  throw unusable(`${url.host} has no metadata of an authorization server.`)
}

function addressesOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, '')
  const [oauth, openId] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const
  if (path === '') return [`${origin}${oauth}`, `${origin}${openId}`]
  return [`${origin}${oauth}${path}`, `${origin}${openId}${path}`, `${origin}${path}${openId}`]
}

async function checkServer(discovering: Discovering, url: URL, document: MetadataDocument): Promise<KnownServer> {
  const { host, href } = url
  const issuer = stringOf(document, 'issuer')
  // RFC 8414, 3.3: the lie that mixes up two servers.
  if (issuer === undefined || URL.parse(issuer)?.href !== href)
    throw unusable(`${host} names another issuer than itself.`)
  if (stringsOf(document, 'code_challenge_methods_supported')?.includes('S256') !== true)
    throw unusable(`${host} does not support PKCE with S256.`)
  const types = stringsOf(document, 'response_types_supported')
  if (types !== undefined && !types.includes('code')) throw unusable(`${host} does not support the code flow.`)
  const named = endpoints.flatMap((name) => {
    const value = stringOf(document, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const { authorization_endpoint, token_endpoint, ...more }: Partial<Record<string, string>> = Object.fromEntries(named)
  if (authorization_endpoint === undefined || token_endpoint === undefined)
    throw unusable(`${host} names no authorization endpoint or no token endpoint.`)
  await Promise.all(named.map(([, value]) => checkAddress(discovering, value)))
  const known = lists.flatMap((name) => {
    const value = stringsOf(document, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    ...more,
    ...Object.fromEntries(known),
    authorization_response_iss_parameter_supported: document['authorization_response_iss_parameter_supported'] === true,
    client_id_metadata_document_supported: document['client_id_metadata_document_supported'] === true,
  }
}

async function checkAddress({ outbound }: Discovering, url: string): Promise<void> {
  await outbound.check(url).catch((error: unknown) => {
    throw unreachable(error, URL.parse(url)?.host ?? 'the address')
  })
}
