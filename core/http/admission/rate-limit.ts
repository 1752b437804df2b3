import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestLimits } from '#core/config/request-limits.ts'
import type { Refuse } from '../limits/refusal.ts'
import { stateOf } from '../endpoint/request-context.ts'
import { partValue } from '../endpoint/server-part.ts'

/** Requests per minute: by username once authenticated, by address otherwise. The high defaults stop floods; they are not a quota. */
export interface RateLimit {
  /** Counts an authenticated or public request. */
  countAdmitted(request: FastifyRequest): Promise<void>
  /** Counts a request whose bearer was rejected, and separately one for which the cluster was asked. */
  countRejected(request: FastifyRequest, wasAsked: boolean): Promise<void>
  /** Refuses an address above its limit without another call to the cluster. */
  refuseBlocked(request: FastifyRequest): void
}

type AddressLimit = 'perAddressPerMinute' | 'rejectedPerAddressPerMinute'

const windowMs = 60_000

const rateLimits = partValue<RateLimit>('mesh.http.rate')

/** Returns the rate limits of the server of a scope. */
export function rateOf(scope: FastifyInstance): RateLimit {
  return rateLimits.of(scope)
}

/** Creates the rate limits of one server, for its limits and its bearers. They throw `too_many_requests`. */
export async function provideRateLimit(
  app: FastifyInstance,
  limits: Required<RequestLimits>,
  refuse: Refuse,
): Promise<RateLimit> {
  const rate = await createRateLimit(app, limits, refuse)
  rateLimits.provide(app, rate)
  return rate
}

async function createRateLimit(
  app: FastifyInstance,
  limits: Required<RequestLimits>,
  refuse: Refuse,
): Promise<RateLimit> {
  await app.register(rateLimit, { global: false })
  const blocked = createBlocked()
  const byAddress = (limit: AddressLimit) => {
    const count = app.createRateLimit({
      timeWindow: windowMs,
      max: limits[limit],
      keyGenerator: (request) => `${limit} ${request.ip}`,
    })
    return async (request: FastifyRequest): Promise<void> => {
      // Read once: a closed socket has no address.
      const address = request.ip
      const result = await count(request)
      if (result.isAllowed || !result.isExceeded) return
      blocked.set(address, limit, result.ttlInSeconds)
      throw refuse(limit, limits[limit], result.ttlInSeconds)
    }
  }
  const countAddress = byAddress('perAddressPerMinute')
  const countAsked = byAddress('rejectedPerAddressPerMinute')
  const countUser = app.createRateLimit({
    timeWindow: windowMs,
    max: limits.perCallerPerMinute,
    keyGenerator: (request) => `u${stateOf(request).username ?? ''}`,
  })
  return {
    countAdmitted: async (request) => {
      if (stateOf(request).username === undefined) return countAddress(request)
      const result = await countUser(request)
      if (!result.isAllowed && result.isExceeded)
        throw refuse('perCallerPerMinute', limits.perCallerPerMinute, result.ttlInSeconds)
    },
    countRejected: async (request, wasAsked) => {
      await countAddress(request)
      if (wasAsked) await countAsked(request)
    },
    refuseBlocked: ({ ip }) => {
      const found = blocked.find(ip)
      if (found !== undefined) throw refuse(found.limit, limits[found.limit], found.seconds)
    },
  }
}

// Maximum number of counters of the library.
const MOST = 5_000

function createBlocked() {
  const blocked = new Map<string, { readonly limit: AddressLimit; readonly until: number }>()
  return {
    set: (address: string, limit: AddressLimit, seconds: number): void => {
      blocked.delete(address)
      const [oldest] = blocked.keys()
      if (blocked.size >= MOST && oldest !== undefined) blocked.delete(oldest)
      blocked.set(address, { limit, until: performance.now() + seconds * 1000 })
    },
    find: (address: string) => {
      const { limit, until } = blocked.get(address) ?? { limit: 'perAddressPerMinute', until: 0 }
      const seconds = (until - performance.now()) / 1000
      if (seconds > 0) return { limit, seconds }
      blocked.delete(address)
      return undefined
    },
  }
}
