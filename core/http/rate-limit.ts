import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { Fail } from './errors.ts'
import { stateOf } from './request-state.ts'

/** How much one replica accepts; generous, against accidents and floods, never a quota. */
export interface RateLimits {
  readonly perCallerPerMinute: number
  readonly perAddressPerMinute: number
  /** Requests under way at once, event streams not counted; above it the answer is 503 at once (X7). */
  readonly underWay: number
}

/** Limits by address and by bearer; the result runs after the bearer check and before any upstream call. */
export async function createRateLimit(
  app: FastifyInstance,
  limits: RateLimits,
): Promise<(request: FastifyRequest) => Promise<void>> {
  await app.register(rateLimit, { global: false })
  const window = { timeWindow: 60_000 }
  const byAddress = app.createRateLimit({
    ...window,
    max: limits.perAddressPerMinute,
    keyGenerator: (request) => `a${request.ip}`,
  })
  const byCaller = app.createRateLimit({ ...window, max: limits.perCallerPerMinute, keyGenerator: callerKey })
  return async (request) => {
    for (const limit of stateOf(request).bearer === undefined ? [byAddress] : [byAddress, byCaller]) {
      const result = await limit(request)
      if (!result.isAllowed && result.isExceeded)
        throw new Fail('too_many_requests', undefined, { retryAfter: result.ttlInSeconds })
    }
  }
}

// The whole token under a hash: a prefix could be shared by two callers, and the token itself stays out of long-lived maps.
function callerKey(request: FastifyRequest): string {
  return `c${createHash('sha256')
    .update(stateOf(request).bearer ?? '')
    .digest('base64url')}`
}
