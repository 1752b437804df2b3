import { isObject } from '#core/json/is-object.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { JwsRefused, signJws, verifyJws } from '#core/signing/jws.ts'
import type { Claims, TokenExpectation, FindKey } from '#core/signing/jws.ts'
import type { AttemptToken, RunGrant } from '#schemas/runs/run.ts'

const grantSeconds = 7 * 24 * 3600
const attemptSeconds = 300

/** Content of a grant: the subject may run this agent for this run, for seven days. */
export interface GrantFor {
  readonly runId: string
  readonly agentUid: string
  readonly subject: string
  readonly groups: readonly string[]
  /** Default: `invoke`, for runs of agents. */
  readonly scopes?: readonly string[]
}

/** Key of a grant. `account` belongs to the manager: its grants are valid for service accounts only. */
export type GrantKey = 'grant' | 'account'

/** Signs a run grant. Called only by the role that did the access review. */
export function signGrant(keys: Keyring, grant: GrantFor, now: Date, by: GrantKey = 'grant'): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: RunGrant = { typ: 'mesh-run-grant', scopes: ['invoke'], ...grant, iat, exp: iat + grantSeconds }
  return signJws(keys.current(by), claims)
}

/** Signs the worker's attempt token for the epoch that it holds. */
export function signAttempt(
  keys: Keyring,
  attempt: { readonly runId: string; readonly agentUid: string; readonly epoch: number },
  now: Date,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: AttemptToken = { typ: 'mesh-run-attempt', ...attempt, iat, exp: iat + attemptSeconds }
  return signJws(keys.current('attempt'), claims)
}

// A fifth of the validity of a token.
const reuseMs = 60_000

/** Returns the token of an attempt, signed once a minute: a run takes several requests to its launcher. */
export function createAttemptSigner(
  sign: () => Promise<string>,
  clock: () => number = () => performance.now(),
): () => Promise<string> {
  let signed: { readonly at: number; readonly token: Promise<string> } | undefined
  return () => {
    if (signed === undefined || clock() - signed.at > reuseMs) {
      const token = sign()
      signed = { at: clock(), token }
      token.catch(() => (signed = undefined))
    }
    return signed.token
  }
}

/** Reads a grant that this installation signed; rejects with `JwsRefused`. */
export async function readGrant(keys: Keyring, token: string, now: Date): Promise<RunGrant> {
  const expected = { typ: 'mesh-run-grant', now: () => now } as const
  const { claims, by } = await verifyGrantKey<RunGrant>(keys, token, expected)
  if (!maySign(by, claims.subject)) throw new JwsRefused('claims')
  return claims
}

/** Verifies a token that one of the grant keys signed; returns its claims and the name of the key. */
export async function verifyGrantKey<C extends Claims>(keys: Keyring, token: string, expected: TokenExpectation<C>) {
  let by: GrantKey = 'grant'
  const find: FindKey = (id) => {
    const key = keys.find('grant', id)
    if (key === undefined) by = 'account'
    return (key ?? keys.find('account', id))?.key
  }
  const claims = await verifyJws<C>(token, find, expected)
  return { claims, by }
}

/** Whether a key may sign for a subject: the manager's key signs for service accounts only (ADR 0063). */
export function maySign(by: GrantKey, subject: string): boolean {
  return by === 'grant' || /^system:serviceaccount:[^:]+:[^:]+$/.test(subject)
}

/** Age of a grant in milliseconds, unverified; undefined for other strings. */
export function grantAgeMs(token: string, now: Date): number | undefined {
  const iat = claimsOf(token)?.iat
  return typeof iat === 'number' ? now.getTime() - iat * 1000 : undefined
}

/** Reads a grant of this installation, even if expired. Returns undefined if its key is unknown. */
export async function readAnyGrant(keys: Keyring, token: string): Promise<RunGrant | undefined> {
  try {
    return await readGrant(keys, token, new Date(Number(claimsOf(token)?.exp) * 1000 - 1000))
  } catch {
    return undefined
  }
}

/** Whether a grant has less than a day left. */
export function isRunningOut(grant: RunGrant, now: Date): boolean {
  return grant.exp * 1000 - now.getTime() < 24 * 3600 * 1000
}

/** Reads an attempt token of a worker; rejects with `JwsRefused`. */
export function readAttempt(keys: Keyring, token: string, now: Date): Promise<AttemptToken> {
  return verifyJws<AttemptToken>(token, (id) => keys.find('attempt', id)?.key, {
    typ: 'mesh-run-attempt',
    now: () => now,
  })
}

function claimsOf(token: string): { readonly iat?: unknown; readonly exp?: unknown } | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return isObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}
