import * as oauth from 'oauth4webapi'
import { Fail } from '#core/errors/domain-error.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { mcpErrors } from '../../contract/errors.ts'
import type { McpTables } from '../../contract/tables.ts'
import { insertConsent } from '../../store/consents.ts'
import { findGrant } from '../../store/grants.ts'
import { findAuthorizationServer } from '../discovery/authorization-server.ts'
import type { KnownServer } from '../discovery/authorization-server.ts'
import { unusable } from '../discovery/document.ts'
import { findProtectedResource } from '../discovery/protected-resource.ts'
import type { ProtectedResource } from '../discovery/protected-resource.ts'
import type { TokenIssuer } from '../server/authorization-calls.ts'
import type { OAuthClient } from '../server/oauth-client.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { toStateHash, sealConsent } from './consent-secret.ts'
import type { ConsentSecret } from './consent-secret.ts'
import { findClient } from './find-client.ts'

/** A consent that a caller asks for. */
export interface WantedGrant {
  readonly server: McpServerObject
  readonly subject: string
  /** Browser session of the caller. */
  readonly sessionId: string | undefined
  readonly scopes: readonly string[] | undefined
  readonly returnTo: string | undefined
  readonly redirectUri: string
  readonly signal: AbortSignal
}

/** A begun consent: where the browser of the caller goes, until when. */
export interface BegunGrant {
  readonly authorizationUrl: URL
  readonly expiresAt: Date
}

const CONSENT_SECONDS = 600
/** Maximum number of open consents of a caller. */
export const MAX_OPEN_CONSENTS = 20

/** Begins a consent: finds the authorization server and the client, and stores the state, bound to caller, session and server. */
export async function beginConsent(services: GrantServices, wanted: WantedGrant): Promise<BegunGrant> {
  const { server, redirectUri, subject, sessionId } = wanted
  const { resource, at } = await discover(services, wanted)
  const client = await findClient(services, { server, at, redirectUri })
  const state = oauth.generateRandomState()
  const stateHash = toStateHash(state)
  const scopes = await scopesOf(services, wanted, resource)
  const secret = toSecret(wanted, { resource, at, client, scopes })
  const authorizationUrl = await toAddress(at, secret, state)
  const { metadata } = server
  const row = {
    state_hash: stateHash,
    subject,
    session_hash: sessionId === undefined ? null : toStateHash(sessionId),
    namespace: metadata.namespace ?? '',
    server: metadata.name,
    server_uid: metadata.uid ?? '',
    sealed: sealConsent(services.sealed, stateHash, secret),
  }
  const { expiresAt, open } = await services.store.transact(async (tx) => {
    const made = await insertConsent(tx.tables<McpTables>(), row, CONSENT_SECONDS)
    if (made.open > MAX_OPEN_CONSENTS)
      throw new Fail(mcpErrors.grant_quota_exceeded, `The caller has ${MAX_OPEN_CONSENTS} open consents.`)
    return made
  })
  services.log.info({ server: `${row.namespace}/${row.server}`, open }, 'consent begun')
  return { authorizationUrl, expiresAt }
}

interface Discovered {
  readonly resource: ProtectedResource
  readonly at: KnownServer
}

async function discover({ outbound }: GrantServices, { server, signal }: WantedGrant): Promise<Discovered> {
  const { url, auth } = server.spec
  const discovering = { outbound, signal }
  const resource = await findProtectedResource(discovering, url)
  const issuer = auth?.issuer === undefined ? resource.issuers[0] : resource.issuers.find((one) => one === auth.issuer)
  if (issuer === undefined)
    throw unusable(
      auth?.issuer === undefined
        ? 'The MCP server names no authorization server.'
        : 'The MCP server does not name the issuer of spec.auth.issuer.',
    )
  return { resource, at: await findAuthorizationServer(discovering, issuer) }
}

interface ConsentClient {
  readonly client: OAuthClient
  readonly scopes: readonly string[]
}

// A further consent keeps the scopes of the former one, which other runs use.
async function scopesOf(
  { store }: GrantServices,
  { server, subject, scopes }: WantedGrant,
  resource: ProtectedResource,
): Promise<readonly string[]> {
  const asked = scopes ?? resource.scopes ?? []
  const { metadata, spec } = server
  const key = { subject, serverUid: metadata.uid ?? '', url: spec.url }
  const former = await findGrant(store.reader<McpTables>(), key)
  const wanted = former?.wanted_scopes ?? []
  return wanted.length === 0 ? asked : [...new Set([...asked, ...(former?.scopes ?? []), ...wanted])]
}

function toSecret(
  { server, returnTo, redirectUri }: WantedGrant,
  { resource, at, client, scopes: asked }: Discovered & ConsentClient,
): ConsentSecret {
  const { url } = server.spec
  // A scope that every server has for refresh tokens, where it lists it (OpenID Connect Core, section 11).
  const isOffline = at.scopes_supported?.includes('offline_access') === true && !asked.includes('offline_access')
  const issuer: TokenIssuer = {
    issuer: at.issuer,
    tokenEndpoint: at.token_endpoint,
    ...(at.revocation_endpoint === undefined ? {} : { revocationEndpoint: at.revocation_endpoint }),
    client,
    resource: resource.resource ?? url,
  }
  return {
    issuer,
    verifier: oauth.generateRandomCodeVerifier(),
    redirectUri,
    scopes: isOffline ? [...asked, 'offline_access'] : [...asked],
    returnTo: returnTo ?? null,
    url,
    sendsIssuer: at.authorization_response_iss_parameter_supported === true,
  }
}

async function toAddress(at: KnownServer, secret: ConsentSecret, state: string): Promise<URL> {
  const { issuer, redirectUri, scopes, verifier } = secret
  const address = new URL(at.authorization_endpoint)
  const parameters = {
    client_id: issuer.client.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: issuer.resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // Without it, OpenID providers give no refresh token.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address
}
