import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readBearer, readBearerOrKey } from '../input/bearer-token.ts'
import { createBodyBytes } from './body-bytes.ts'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { attributed } from '../audit/record-outcome.ts'
import { toProblemResponse } from '../problem/problem.ts'
import { createRateLimit } from './rate-limit.ts'
import type { Refuse } from '../limits/refusal.ts'
import { ownerOfRequest, stateOf } from '../endpoint/request-context.ts'
import type { HttpServices } from '../endpoint/server-context.ts'
import { createShares } from '../limits/per-owner-count.ts'
import type { Shares } from '../limits/per-owner-count.ts'
import { createTurns } from '../limits/fair-turns.ts'

/** Authentication and limits applied to every request before its route runs (ADR 0023). */
export interface Admission {
  /** Authenticates the bearer at the cluster, before gate, names and body. Throws `unauthenticated`. */
  authenticate(request: FastifyRequest): Promise<void>
  /** Counts the request and its body bytes for its caller until the response is complete. Throws 429 or 503 above a limit. */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** Creates the admission of one server. */
export async function createAdmission(
  app: FastifyInstance,
  services: HttpServices,
  { limits, refuse }: { readonly limits: Required<RequestLimits>; readonly refuse: Refuse },
): Promise<Admission> {
  const rate = await createRateLimit(app, limits, refuse)
  const places = createPlaces(limits, refuse)
  const takeBody = createBodyBytes(app, limits, refuse)
  const turns = createTurns({ atOnce: limits.turnsPerCaller })
  const authentications = createShares({ total: limits.underWay, perOwner: limits.authenticationsPerAddress })
  const ask = async (request: FastifyRequest, bearer: string): Promise<void> => {
    const release = services.knows?.(bearer) === true ? undefined : beginUnknown(request)
    try {
      await identify(services, request, bearer)
    } catch (error) {
      if (toProblemResponse(error).status === 401) await rate.countRejected(request, release !== undefined)
      throw error
    } finally {
      release?.()
    }
  }
  const beginUnknown = (request: FastifyRequest): (() => void) => {
    rate.refuseBlocked(request)
    // Read once: a closed socket has no address.
    const address = request.ip
    const bound = authentications.take(address, 1)
    if (bound === 'total') throw refuse('underWay', limits.underWay)
    if (bound === 'owner') throw refuse('authenticationsPerAddress', limits.authenticationsPerAddress)
    return () => authentications.give(address, 1)
  }
  return {
    authenticate: async (request) => {
      const { rawHeaders, url = '' } = request.raw
      const bearer = services.acceptsApiKey === true ? readBearerOrKey(rawHeaders, url) : readBearer(rawHeaders, url)
      stateOf(request).bearer = bearer
      await ask(request, bearer)
    },
    enter: async (request, reply) => {
      places(request, reply)
      await rate.countAdmitted(request)
      takeBody(request, reply)
      const end = await turns.start(ownerOfRequest(request))
      reply.raw.once('close', end)
      if (reply.raw.destroyed) end()
    },
  }
}

// The BFF keeps the caller for its handlers; gateway and state resolve theirs from the same cache.
async function identify(services: HttpServices, request: FastifyRequest, bearer: string): Promise<void> {
  const state = stateOf(request)
  if (services.identify !== undefined) {
    state.username = await services.identify(bearer)
    return
  }
  const caller = await services.cluster.as(bearer)
  state.caller = attributed(services, request, caller)
  state.username = caller.username
}

// X7: refuses at once above the limits. Requests that wait for runs and public routes have separate totals.
function createPlaces(limits: Required<RequestLimits>, refuse: Refuse) {
  const { underWay: total, underWayPerCaller: perOwner } = limits
  const requests = { shares: createShares({ total, perOwner }), limit: 'underWayPerCaller' } as const
  const open = { shares: createShares({ total, perOwner }), limit: 'underWayPerCaller' } as const
  const waits = { shares: createShares({ total, perOwner: limits.waitsPerCaller }), limit: 'waitsPerCaller' } as const
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const kind = stateOf(request).username === undefined ? open : isWait(request) ? waits : requests
    const owner = ownerOfRequest(request)
    const bound = kind.shares.take(owner, 1)
    if (bound === 'total') throw refuse('underWay', total)
    if (bound === 'owner') throw refuse(kind.limit, limits[kind.limit])
    stateOf(request).leavePlace = once(kind.shares, owner)
    reply.raw.once('close', () => stateOf(request).leavePlace?.())
  }
}

function isWait(request: FastifyRequest): boolean {
  return request.routeOptions.config.endpoint?.waits === true
}

function once(shares: Shares, owner: string): () => void {
  let left = false
  return () => {
    if (!left) shares.give(owner, 1)
    left = true
  }
}
