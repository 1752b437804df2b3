import type { IncomingMessage } from 'node:http'
import { JwsRefused, verifyJws } from '#core/signing/jws.ts'
import type { Claims } from '#core/signing/jws.ts'
import type { AttemptToken, RunGrant } from '#schemas/runs/run.ts'
import type { Logger } from '#core/log/logger.ts'
import { singleHeader } from '../../contract/http/headers.ts'
import { Refusal } from '../../contract/http/refusal.ts'
import type { RunAuthority } from '../../contract/runs/run-origin.ts'
import type { KeySet } from '../../contract/state/key-set.ts'

/** Verified attempt token: the lease epoch of the worker; 0 in an unsigned launcher. */
export interface AcceptedAttempt {
  readonly epoch: number
}

/** Verified grant: on whose behalf the run is executed. */
export interface AcceptedGrant extends AcceptedAttempt {
  readonly authority: RunAuthority
}

/** Verifies the tokens of requests for runs. */
export interface Authorizer {
  /** Verifies grant and attempt token, for `POST /invoke`. Throws `Refusal`. */
  invoke(request: IncomingMessage, runId: string): Promise<AcceptedGrant>
  /** Verifies the attempt token, for a known run. Throws `Refusal`. */
  attach(request: IncomingMessage, runId: string): Promise<AcceptedAttempt>
}

/** Options of `createAuthorizer`. */
export interface AuthorizerOptions {
  readonly agentUid: string
  readonly keys: KeySet
  readonly now: () => Date
  readonly log: Logger
}

/** Accepts tokens signed by the installation for this agent and run. */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const attach = async (request: IncomingMessage, runId: string): Promise<AcceptedAttempt> => {
    const attempt = await verify<AttemptToken>(options, singleHeader(request, 'x-mesh-run-attempt'), 'mesh-run-attempt')
    checkTarget(attempt, options.agentUid, runId)
    if (!Number.isSafeInteger(attempt.epoch) || attempt.epoch < 0) throw new Refusal('unauthenticated')
    return { epoch: attempt.epoch }
  }
  return {
    attach,
    async invoke(request, runId) {
      const grant = await verify<RunGrant>(options, singleHeader(request, 'x-mesh-run-grant'), 'mesh-run-grant')
      checkTarget(grant, options.agentUid, runId)
      const { subject, scopes = [] } = grant
      return { ...(await attach(request, runId)), authority: { subject, scopes } }
    },
  }
}

/** Accepts every request: with `meshctl dev` no installation signs tokens. */
export const unsigned: Authorizer = {
  invoke: () => Promise.resolve({ epoch: 0, authority: { subject: '', scopes: [] } }),
  attach: () => Promise.resolve({ epoch: 0 }),
}

function checkTarget(claims: { runId: string; agentUid: string }, agentUid: string, runId: string): void {
  if (claims.runId !== runId || claims.agentUid !== agentUid) throw new Refusal('unauthenticated')
}

async function verify<C extends Claims>(
  options: AuthorizerOptions,
  token: string | undefined,
  typ: C['typ'],
): Promise<C> {
  if (token === undefined) throw new Refusal('unauthenticated')
  try {
    return await verifyJws<C>(token, options.keys.find, { typ, now: options.now })
  } catch (error) {
    if (!(error instanceof JwsRefused)) throw error
    options.log.warn({ typ, reason: error.reason }, 'run token refused')
    throw new Refusal('unauthenticated')
  }
}
