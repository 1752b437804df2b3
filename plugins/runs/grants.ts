import type { Keyring } from '#core/signing/keyring.ts'
import { signJws, verifyJws } from '#core/signing/jws.ts'
import type { FindKey } from '#core/signing/jws.ts'
import type { AttemptToken, RunGrant } from '#schemas/run.ts'

const grantSeconds = 7 * 24 * 3600
const attemptSeconds = 300

/** Content of a grant: the subject may run this agent for this run, for seven days. */
export interface GrantFor {
  readonly runId: string
  readonly agentUid: string
  readonly subject: string
  readonly groups: readonly string[]
}

/** Signs a run grant. Called only by the role that made the review. */
export function signGrant(keys: Keyring, grant: GrantFor, now: Date): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: RunGrant = { typ: 'mesh-run-grant', ...grant, scopes: ['invoke'], iat, exp: iat + grantSeconds }
  return signJws(keys.current('grant'), claims)
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

/** Reads a grant that this install signed; rejects with `JwsRefused`. */
export function readGrant(keys: Keyring, token: string, now: Date): Promise<RunGrant> {
  return verifyJws<RunGrant>(token, finder(keys, 'grant'), { typ: 'mesh-run-grant', now: () => now })
}

/** Reads a grant of this install, even if expired. Returns undefined if its key is unknown. */
export async function readAnyGrant(keys: Keyring, token: string): Promise<RunGrant | undefined> {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown }
    return await readGrant(keys, token, new Date(Number(exp) * 1000 - 1000))
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
  return verifyJws<AttemptToken>(token, finder(keys, 'attempt'), { typ: 'mesh-run-attempt', now: () => now })
}

function finder(keys: Keyring, name: 'grant' | 'attempt'): FindKey {
  return (id) => keys.find(name, id)?.key
}
