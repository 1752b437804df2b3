import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestLimits } from '#core/config/request-limits.ts'
import type { Refuse } from '../limits/refusal.ts'
import { stateOf } from '../endpoint/request-context.ts'

/** Requests per minute: by username once authenticated, by address otherwise. The high defaults stop floods; they are not a quota. */
export interface RateLimit {
  /** Counts an authenticated or public request. */
  countAdmitted(request: FastifyRequest): Promise<void>
  /** Counts a request whose bearer was rejected. */
  countRejected(request: FastifyRequest): Promise<void>
  /** Refuses an address above its limit without another call to the cluster. */
  refuseBlocked(request: FastifyRequest): void
}

/** Creates the rate limits of one server. They throw `too_many_requests`. */
export async function createRateLimit(
  app: FastifyInstance,
  limits: Required<RequestLimits>,
  refuse: Refuse,
): Promise<RateLimit> {
  await app.register(rateLimit, { global: false })
  const window = { timeWindow: 60_000 }
  const { perAddressPerMinute, perCallerPerMinute } = limits
  const byAddress = app.createRateLimit({
    ...window,
    max: perAddressPerMinute,
    keyGenerator: (request) => `a${request.ip}`,
  })
  const byUser = app.createRateLimit({
    ...window,
    max: perCallerPerMinute,
    keyGenerator: (request) => `u${stateOf(request).username ?? ''}`,
  })
  const blocked = createBlocked()
  const countAddress = async (request: FastifyRequest): Promise<void> => {
    const result = await byAddress(request)
    if (result.isAllowed || !result.isExceeded) return
    blocked.set(request.ip, result.ttlInSeconds)
    throw refuse('perAddressPerMinute', perAddressPerMinute, result.ttlInSeconds)
  }
  return {
    countAdmitted: async (request) => {
      if (stateOf(request).username === undefined) return countAddress(request)
      const result = await byUser(request)
      if (!result.isAllowed && result.isExceeded)
        throw refuse('perCallerPerMinute', perCallerPerMinute, result.ttlInSeconds)
    },
    countRejected: countAddress,
    refuseBlocked: (request) => {
      const seconds = blocked.secondsOf(request.ip)
      if (seconds > 0) throw refuse('perAddressPerMinute', perAddressPerMinute, seconds)
    },
  }
}

// Maximum number of counters of the library.
const MOST = 5_000

function createBlocked() {
  const until = new Map<string, number>()
  return {
    set: (address: string, seconds: number): void => {
      until.delete(address)
      const [oldest] = until.keys()
      if (until.size >= MOST && oldest !== undefined) until.delete(oldest)
      until.set(address, performance.now() + seconds * 1000)
    },
    secondsOf: (address: string): number => {
      const left = ((until.get(address) ?? 0) - performance.now()) / 1000
      if (left <= 0) until.delete(address)
      return left
    },
  }
}
