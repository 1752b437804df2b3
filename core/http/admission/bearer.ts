import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { attributed } from '../audit/record-outcome.ts'
import { stateOf } from '../endpoint/request-context.ts'
import type { HttpServices } from '../endpoint/server-context.ts'
import { partValue, serverPart } from '../endpoint/server-part.ts'
import { headerValues, readBearer, readBearerOrKey, refuseTokenInQuery } from '../input/bearer-token.ts'
import { createShares } from '../limits/per-owner-count.ts'
import type { Refuse } from '../limits/refusal.ts'
import { toProblemResponse } from '../problem/problem.ts'
import { rateOf } from './rate-limit.ts'
import type { RateLimit } from './rate-limit.ts'

/** Authenticates bearers at the cluster, within the limits of their addresses (ADR 0023). Each throws `unauthenticated`. */
export interface Authenticator {
  /** The bearer of a request or of its session, before gate, names and body. */
  request(request: FastifyRequest): Promise<void>
  /** A bearer that a request signs in with. */
  bearer(request: FastifyRequest, bearer: string): Promise<void>
}

const authenticator = partValue<Authenticator>('mesh.http.authenticate')

/** Returns how the server of a scope authenticates. */
export function authenticatorOf(scope: FastifyInstance): Authenticator {
  return authenticator.of(scope)
}

/** Authenticates bearers, within the limits of their addresses. */
export function bearerPart(
  services: HttpServices,
  limits: Required<RequestLimits>,
  refuse: Refuse,
): FastifyPluginAsync {
  return serverPart('mesh-bearer', ['mesh-services', 'mesh-limits'], (app) => {
    authenticator.provide(app, createAuthenticator(services, rateOf(app), { limits, refuse }))
  })
}

function createAuthenticator(
  services: HttpServices,
  rate: RateLimit,
  { limits, refuse }: { readonly limits: Required<RequestLimits>; readonly refuse: Refuse },
): Authenticator {
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
  const authenticate = async (request: FastifyRequest, bearer: string): Promise<void> => {
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
  return {
    bearer: authenticate,
    request: async (request) => {
      const fromCookie = await sessionBearer(services, rate, request)
      await authenticate(request, fromCookie ?? bearerOf(services, request))
    },
  }
}

// A request with a header does not use its cookies: a page of another origin cannot set that header.
async function sessionBearer(
  { sessions }: HttpServices,
  rate: RateLimit,
  request: FastifyRequest,
): Promise<string | undefined> {
  const { rawHeaders, url = '' } = request.raw
  if (sessions === undefined || headerValues(rawHeaders, 'authorization').length > 0) return undefined
  refuseTokenInQuery(url)
  try {
    return await sessions.bearerOf(request)
  } catch (error) {
    if (toProblemResponse(error).status === 401) await rate.countRejected(request, false)
    throw error
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
