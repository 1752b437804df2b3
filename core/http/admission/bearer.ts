import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { attributed } from '../audit/record-outcome.ts'
import { stateOf } from '../endpoint/request-context.ts'
import type { HttpServices } from '../endpoint/server-context.ts'
import { partValue, serverPart } from '../endpoint/server-part.ts'
import { readBearer, readBearerOrKey } from '../input/bearer-token.ts'
import { createShares } from '../limits/per-owner-count.ts'
import type { Refuse } from '../limits/refusal.ts'
import { toProblemResponse } from '../problem/problem.ts'
import { rateOf } from './rate-limit.ts'
import type { RateLimit } from './rate-limit.ts'

/** Authenticates the bearer at the cluster, before gate, names and body (ADR 0023). Throws `unauthenticated`. */
export type Authenticate = (request: FastifyRequest) => Promise<void>

const authenticator = partValue<Authenticate>('mesh.http.authenticate')

/** Returns how the server of a scope authenticates. */
export function authenticatorOf(scope: FastifyInstance): Authenticate {
  return authenticator.of(scope)
}

/** Authenticates bearers, within the limits of their addresses. */
export function bearerPart(
  services: HttpServices,
  limits: Required<RequestLimits>,
  refuse: Refuse,
): FastifyPluginAsync {
  return serverPart('mesh-bearer', ['mesh-services', 'mesh-limits'], (app) => {
    authenticator.provide(app, createAuthenticate(services, rateOf(app), { limits, refuse }))
  })
}

function createAuthenticate(
  services: HttpServices,
  rate: RateLimit,
  { limits, refuse }: { readonly limits: Required<RequestLimits>; readonly refuse: Refuse },
): Authenticate {
  const authentications = createShares({ total: limits.underWay, perOwner: limits.authenticationsPerAddress })
  const beginUnknown = (request: FastifyRequest): (() => void) => {
    rate.refuseBlocked(request)
    // Read once: a closed socket has no address.
    const address = request.ip
    const bound = authentications.take(address, 1)
    if (bound === 'total') throw refuse('underWay', limits.underWay)
    if (bound === 'owner') throw refuse('authenticationsPerAddress', limits.authenticationsPerAddress)
    return () => authentications.give(address, 1)
  }
  return async (request) => {
    const bearer = bearerOf(services, request)
    stateOf(request).bearer = bearer
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
}

function bearerOf({ acceptsApiKey }: HttpServices, { raw: { rawHeaders, url = '' } }: FastifyRequest): string {
  return acceptsApiKey === true ? readBearerOrKey(rawHeaders, url) : readBearer(rawHeaders, url)
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
