import type { Keyring } from '#core/signing/keyring.ts'
import { signJws } from '#core/signing/jws.ts'
import type { AttemptToken, RunGrant } from '#schemas/run.ts'

const grantSeconds = 7 * 24 * 3600
const attemptSeconds = 300

/** What a grant says: the subject may have this run of this agent done for seven days. */
export interface GrantFor {
  readonly runId: string
  readonly agentUid: string
  readonly subject: string
}

/** Signs a run grant; only the role that made the review calls it. */
export function signGrant(keys: Keyring, grant: GrantFor, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: RunGrant = { typ: 'mesh-run-grant', ...grant, scopes: ['invoke'], iat, exp: iat + grantSeconds }
  return signJws(keys.current('grant'), claims)
}

/** Signs the worker's attempt token for the epoch that it holds. */
export function signAttempt(
  keys: Keyring,
  attempt: { readonly runId: string; readonly agentUid: string; readonly epoch: number },
  now: Date,
): string {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: AttemptToken = { typ: 'mesh-run-attempt', ...attempt, iat, exp: iat + attemptSeconds }
  return signJws(keys.current('attempt'), claims)
}
