import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import { isLabel, parseLabel, parseName } from '#core/kube/names.ts'
import { NotOpenable } from '#core/signing/sealed.ts'
import type { ConsentResult } from '#schemas/api/mcp-grants.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { mcpErrors } from '../../contract/errors.ts'
import { grantCreated } from '../../contract/events.ts'
import type { McpTables, SelectedConsent, SelectedGrant } from '../../contract/tables.ts'
import { takeConsent } from '../../store/consents.ts'
import { saveGrant } from '../../store/grants.ts'
import { removeClientRows } from '../../store/oauth-clients.ts'
import { unusable } from '../discovery/document.ts'
import { redeemCode, TokensRefused } from '../server/authorization-calls.ts'
import type { TokenSet } from '../server/token-set.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { sealTokens } from '../tokens/grant-secret.ts'
import { untilLeasesEnd } from '../tokens/leased-tokens.ts'
import { toStateHash, openConsent } from './consent-secret.ts'
import type { ConsentSecret } from './consent-secret.ts'
import { toGrantEvent } from './grant-event.ts'
import { readOAuthServer } from './oauth-server.ts'

/** Who ends a consent. */
export interface ConsentingCaller {
  readonly caller: Pick<Caller, 'username' | 'cluster' | 'review' | 'may'>
  readonly sessionId: string | undefined
  readonly signal: AbortSignal
}

/** A stored grant, and the path to continue at. */
export interface CompletedGrant {
  readonly grant: SelectedGrant
  readonly returnTo: string | null
}

/** Maximum number of grants of a person. */
export const MAX_GRANTS = 200

/**
 * Ends a consent, whatever its result: its state is used up. The result must be of the server that was asked; then the code is exchanged, and tokens and
 * event are stored in one transaction. Throws `consent_invalid`, `consent_denied` and `authorization_server_unusable`.
 */
export async function completeConsent(
  services: GrantServices,
  by: ConsentingCaller,
  result: ConsentResult,
): Promise<CompletedGrant> {
  const { consent, secret } = await take(services, by, result.state)
  const server = await readUnchanged(by, consent, secret)
  const code = checkResult(result, secret)
  const tokens = await redeem(services, consent, secret, code)
  const ref = { namespace: parseLabel('namespace', consent.namespace), name: consent.server }
  const mayUpdate = await by.caller.may('update', 'mcpservers', ref)
  const grant = await store(services, { server, consent, secret, tokens, readsManifest: mayUpdate !== undefined })
  // A former grant may be of another account.
  if (grant.version > 1) await untilLeasesEnd()
  return { grant, returnTo: secret.returnTo }
}

interface TakenConsent {
  readonly consent: SelectedConsent
  readonly secret: ConsentSecret
}

async function take(services: GrantServices, by: ConsentingCaller, state: string): Promise<TakenConsent> {
  const stateHash = toStateHash(state)
  const sessionHash = by.sessionId === undefined ? null : toStateHash(by.sessionId)
  const key = { stateHash, subject: by.caller.username, sessionHash }
  const consent = await services.store.transact((tx) => takeConsent(tx.tables<McpTables>(), key))
  if (consent === undefined) throw new Fail(mcpErrors.consent_invalid)
  try {
    return { consent, secret: openConsent(services.sealed, stateHash, consent.sealed) }
  } catch (error) {
    // The key of the installation has changed since.
    throw error instanceof NotOpenable ? new Fail(mcpErrors.consent_invalid) : error
  }
}

// A right that was withdrawn, or a server that was replaced while the person was at the authorization server, ends the consent.
async function readUnchanged(
  { caller, signal }: ConsentingCaller,
  consent: SelectedConsent,
  secret: ConsentSecret,
): Promise<McpServerObject> {
  if (!isLabel(consent.namespace)) throw new Fail(mcpErrors.consent_invalid)
  const ref = { namespace: consent.namespace, name: parseName('server', consent.server) }
  await caller.review('create', 'mcpgrants', { namespace: consent.namespace })
  const server = await readOAuthServer(caller, ref, signal)
  if (server.metadata.uid === consent.server_uid && server.spec.url === secret.url) return server
  throw new Fail(mcpErrors.consent_invalid, 'The MCP server has changed since the consent began.')
}

/** Checks the parameters of a redirect, and returns the code. */
function checkResult({ code, iss, error }: ConsentResult, { issuer, sendsIssuer }: ConsentSecret): string {
  // RFC 9207: a result of another server, which could make this one send it the code.
  if (iss === undefined ? sendsIssuer : iss !== issuer.issuer)
    throw unusable('The response is not of the authorization server that was asked.')
  if (error !== undefined || code === undefined) {
    const word = error !== undefined && /^[a-z_]{1,40}$/.test(error) ? error : 'no code'
    throw new Fail(mcpErrors.consent_denied, `The authorization server reports: ${word}.`)
  }
  return code
}

async function redeem(
  services: GrantServices,
  consent: SelectedConsent,
  { issuer, verifier, redirectUri }: ConsentSecret,
  code: string,
): Promise<TokenSet> {
  try {
    return await redeemCode(services, issuer, { code, verifier, redirectUri })
  } catch (error) {
    if (!(error instanceof TokensRefused)) throw error
    // The next consent registers a client again.
    if (error.code === 'invalid_client')
      await services.store.transact((tx) => removeClientRows(tx.tables<McpTables>(), consent.server_uid, issuer.issuer))
    throw unusable(error.message)
  }
}

interface NewGrant extends TakenConsent {
  readonly server: McpServerObject
  readonly tokens: TokenSet
  readonly readsManifest: boolean
}

function store(services: GrantServices, made: NewGrant): Promise<SelectedGrant> {
  const { consent, secret, tokens, readsManifest } = made
  const { subject, namespace, server, server_uid: uid } = consent
  const { issuer, url, scopes } = secret
  const owned = { subject, server_uid: uid, url }
  const row = {
    ...owned,
    id: uuidV7(),
    namespace,
    server,
    issuer: issuer.issuer,
    reads_manifest: readsManifest,
    ...sealTokens(services.sealed, owned, { tokens, issuer, scopes }),
  }
  return services.store.transact(async (tx) => {
    const { grant, count } = await saveGrant(tx.tables<McpTables>(), row)
    if (count > MAX_GRANTS)
      throw new Fail(mcpErrors.grant_quota_exceeded, `The caller has ${MAX_GRANTS} grants; revoke one first.`)
    const event = { ...toGrantEvent(grant), type: grantCreated, actor: accountActor(subject) }
    await tx.append(`mcp/${grant.id}`, 'any', [event])
    return grant
  })
}
