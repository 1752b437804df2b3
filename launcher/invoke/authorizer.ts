import type { IncomingMessage } from 'node:http'
import { JwsRefused, verifyJws } from '#core/signing/jws.ts'
import type { Claims } from '#core/signing/jws.ts'
import type { AttemptToken, RunGrant } from '#schemas/run.ts'
import type { Logger } from '#core/log/logger.ts'
import { singleHeader } from '../http/guard.ts'
import { Refusal } from '../http/refusal.ts'
import type { KeySet } from './key-set.ts'

/** What a request may do to a run: the epoch of the worker that holds it. 0 in an unsigned launcher. */
export interface AcceptedAttempt {
  readonly epoch: number
}

/** Decides who may touch a run. */
export interface Authorizer {
  /** For `POST /invoke`: grant and attempt token. Throws `Refusal`. */
  invoke(request: IncomingMessage, runId: string): Promise<AcceptedAttempt>
  /** For a run that was invoked: the attempt token. Throws `Refusal`. */
  attach(request: IncomingMessage, runId: string): Promise<AcceptedAttempt>
}

/** What the tokens must say. */
export interface AuthorizerOptions {
  readonly agentUid: string
  readonly keys: KeySet
  readonly now: () => Date
  readonly log: Logger
}

/** Accepts tokens signed by the install, for this agent and this run. */
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
      return attach(request, runId)
    },
  }
}

/** Accepts everything: `meshctl dev` has no install that could sign. */
export const unsigned: Authorizer = {
  invoke: () => Promise.resolve({ epoch: 0 }),
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
    options.log.warn({ typ, reason: error.reason }, 'a run token was refused')
    throw new Refusal('unauthenticated')
  }
}
