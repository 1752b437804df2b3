import { sleep } from '#core/async/sleep.ts'
import { NotOpenable } from '#core/signing/sealed.ts'
import type { McpTables, SelectedGrant } from '../../contract/tables.ts'
import {
  addWantedScopes,
  claimRefresh,
  endRefresh,
  findGrant,
  findManifestGrant,
  saveRefreshed,
} from '../../store/grants.ts'
import type { OwnedGrantKey, StoredTokens } from '../../store/grants.ts'
import { TokensRefused, refreshTokens } from '../server/authorization-calls.ts'
import type { TokenIssuer } from '../server/authorization-calls.ts'
import { findClientSecret } from '../server/configured-clients.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { openTokens, sealTokens } from './grant-secret.ts'
import type { GrantSecret } from './grant-secret.ts'
import { createLeasedTokens } from './leased-tokens.ts'
import { revokeUpstream } from './revoke-tokens.ts'

/** An access token of a person, and the version of the grant that it is from. */
export interface UserToken {
  readonly bearer: string
  readonly grant: SelectedGrant
}

/** Access tokens of grants, refreshed before they end. Undefined: the person must consent. Throws `TokensRefused` for a fault that may pass. */
export interface GrantTokens {
  find(key: OwnedGrantKey): Promise<UserToken | undefined>
  /** The token with which the manager reads the manifest of a server. */
  ofManifest(key: Omit<OwnedGrantKey, 'subject'>): Promise<UserToken | undefined>
  /** Another token in place of one that the server has refused. */
  replace(token: UserToken): Promise<UserToken | undefined>
  /** A token of a later consent; `wanted` are scopes that the server asks for beyond those of this one, kept for the next consent. */
  widen(token: UserToken, wanted: readonly string[]): Promise<UserToken | undefined>
  /** The server refuses the tokens of this grant: it is not used again. */
  giveUp(token: UserToken): Promise<void>
}

const EARLY_MS = 30_000
// Longer than the call to the authorization server, so that no claim ends before it.
const CLAIM_SECONDS = 20
const POLL_MS = 100

/**
 * Creates the tokens of a process. A token is found again without a read for the time of its lease, which a revocation waits for. A refresh is claimed in the row of its grant: of any number of calls in any process, one refreshes, and the others
 * wait for the next version (M-7). No transaction is open meanwhile.
 */
export function createGrantTokens(services: GrantServices): GrantTokens {
  const { store, now } = services
  const leased = createLeasedTokens<UserToken>()
  const running = new Map<string, Promise<UserToken | undefined>>()
  const refreshOnce = (grant: SelectedGrant): Promise<UserToken | undefined> => {
    const key = `${grant.id}/${grant.version}`
    const known = running.get(key)
    if (known !== undefined) return known
    const work = refresh(services, grant).finally(() => running.delete(key))
    running.set(key, work)
    return work
  }
  const isFresh = ({ access_expires_at: end, is_refreshable: isRefreshable }: SelectedGrant): boolean => {
    const left = (end?.getTime() ?? Number.POSITIVE_INFINITY) - now().getTime()
    return left > EARLY_MS || (left > 0 && !isRefreshable)
  }
  const current = async (grant: SelectedGrant | undefined): Promise<UserToken | undefined> => {
    if (grant?.is_usable !== true) return undefined
    if (isFresh(grant)) return toToken(services, grant)
    if (grant.is_refreshable) return refreshOnce(grant)
    await giveUp(services, grant)
    return undefined
  }
  return {
    find: async (key) => {
      const known = leased.find(key)
      if (known !== undefined && isFresh(known.grant)) return known
      const readAt = performance.now()
      const token = await current(await findGrant(store.reader<McpTables>(), key))
      if (token !== undefined) leased.keep(key, token, readAt)
      return token
    },
    ofManifest: async (key) => current(await findManifestGrant(store.reader<McpTables>(), key)),
    replace: async ({ grant }) => {
      leased.forget(keyOf(grant))
      const newest = await findGrant(store.reader<McpTables>(), keyOf(grant))
      if (newest?.is_usable !== true) return undefined
      if (newest.version !== grant.version) return current(newest)
      if (grant.is_refreshable) return refreshOnce(grant)
      await giveUp(services, grant)
      return undefined
    },
    widen: async ({ grant }, wanted) => {
      leased.forget(keyOf(grant))
      const newest = await findGrant(store.reader<McpTables>(), keyOf(grant))
      if (newest !== undefined && isLater(newest, grant)) return current(newest)
      if (newest !== undefined) await store.transact((tx) => addWantedScopes(tx.tables<McpTables>(), newest, wanted))
      return undefined
    },
    giveUp: ({ grant }) => {
      leased.forget(keyOf(grant))
      return giveUp(services, grant)
    },
  }
}

function keyOf({ subject, server_uid: serverUid, url }: SelectedGrant): OwnedGrantKey {
  return { subject, serverUid, url }
}

async function toToken(services: GrantServices, grant: SelectedGrant): Promise<UserToken | undefined> {
  const secret = await openOrGiveUp(services, grant)
  return secret && { bearer: secret.accessToken, grant }
}

async function refresh(services: GrantServices, grant: SelectedGrant): Promise<UserToken | undefined> {
  const { store } = services
  const isClaimed = await store.transact((tx) => claimRefresh(tx.tables<McpTables>(), grant, CLAIM_SECONDS))
  if (!isClaimed) return waitForNext(services, grant)
  const secret = await openOrGiveUp(services, grant)
  if (secret?.refreshToken === undefined) return undefined
  try {
    const issuer = await withCurrentClient(services, grant, secret.issuer)
    const tokens = await refreshTokens(services, issuer, secret.refreshToken)
    // A refresh continues the account that consented.
    if (secret.account !== undefined && tokens.account !== undefined && tokens.account !== secret.account)
      throw new TokensRefused('The authorization server returns the token of another account.', { isFinal: true })
    const given = { tokens, issuer, scopes: grant.scopes, before: secret }
    const stored = sealTokens(services.sealed, grant, given)
    const isSaved = await store.transact((tx) => saveRefreshed(tx.tables<McpTables>(), grant, stored))
    if (!isSaved) return await findNext(services, grant, stored)
    const refreshed = { ...grant, ...stored, version: grant.version + 1, refreshing_until: null }
    return { bearer: tokens.accessToken, grant: refreshed }
  } catch (error) {
    const isFinal = error instanceof TokensRefused && error.isFinal && !isRotating(error, secret)
    await store.transact((tx) => endRefresh(tx.tables<McpTables>(), grant, { isUsable: !isFinal }))
    if (!isFinal) throw error
    services.log.info({ grant: grant.id, issuer: grant.issuer }, 'grant no longer usable: its refresh was refused')
    return undefined
  }
}

// The secret of a configured client may have been rotated since the consent.
async function withCurrentClient(
  services: GrantServices,
  grant: SelectedGrant,
  issuer: TokenIssuer,
): Promise<TokenIssuer> {
  const { client } = issuer
  if (client.isConfigured !== true) return issuer
  const { server_uid: serverUid, url } = grant
  const secret = await findClientSecret(services, { serverUid, url, clientId: client.id })
  return secret === undefined ? issuer : { ...issuer, client: { ...client, secret } }
}

// The manager has not read the new secret of the client yet.
function isRotating({ code }: TokensRefused, { issuer }: GrantSecret): boolean {
  return code === 'invalid_client' && issuer.client.isConfigured === true
}

// Another process refreshes. It stores the next version, gives up, or ends with its claim.
async function waitForNext(services: GrantServices, grant: SelectedGrant): Promise<UserToken | undefined> {
  const end = performance.now() + CLAIM_SECONDS * 1_000
  while (performance.now() < end) {
    await sleep(POLL_MS)
    const newest = await findGrant(services.store.reader<McpTables>(), keyOf(grant))
    if (newest?.is_usable !== true) return undefined
    if (newest.version !== grant.version) return toToken(services, newest)
    if (newest.refreshing_until === null) break
  }
  throw new TokensRefused('The access token is being refreshed.', { isFinal: false })
}

// The person has revoked the grant, or has consented again. Tokens that were issued meanwhile would outlive the former grant.
async function findNext(
  services: GrantServices,
  grant: SelectedGrant,
  unused: StoredTokens,
): Promise<UserToken | undefined> {
  const newest = await findGrant(services.store.reader<McpTables>(), keyOf(grant))
  // A refresh of another process continues the same consent, so that a revocation would end its tokens, too.
  if (newest === undefined || isLater(newest, grant)) await revokeUpstream(services, { ...grant, ...unused })
  return newest?.is_usable === true && newest.version !== grant.version ? toToken(services, newest) : undefined
}

// A refresh keeps the time of the consent.
function isLater(one: SelectedGrant, other: SelectedGrant): boolean {
  return one.created_at.getTime() > other.created_at.getTime()
}

// Without the key that sealed them, tokens are lost.
async function openOrGiveUp(services: GrantServices, grant: SelectedGrant): Promise<GrantSecret | undefined> {
  try {
    return openTokens(services.sealed, grant)
  } catch (error) {
    if (!(error instanceof NotOpenable)) throw error
    await giveUp(services, grant)
    return undefined
  }
}

async function giveUp({ store }: GrantServices, grant: SelectedGrant): Promise<void> {
  await store.transact((tx) => endRefresh(tx.tables<McpTables>(), grant, { isUsable: false }))
}
