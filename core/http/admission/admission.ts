import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { onClose } from '#core/net/on-close.ts'
import { ownerOfRequest, stateOf } from '../endpoint/request-context.ts'
import { partValue, serverPart } from '../endpoint/server-part.ts'
import { createTurns } from '../limits/fair-turns.ts'
import { createShares } from '../limits/per-owner-count.ts'
import type { Shares } from '../limits/per-owner-count.ts'
import type { Refuse } from '../limits/refusal.ts'
import { createBodyBytes } from './body-bytes.ts'
import { limitBodyTime } from './body-deadline.ts'
import { provideRateLimit } from './rate-limit.ts'

/** Counts a request and its body bytes for its caller until the response is complete (ADR 0023). Throws 429 or 503 above a limit. */
export type Enter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

const entrance = partValue<Enter>('mesh.http.enter')

/** Returns the limits of the server of a scope. */
export function entranceOf(scope: FastifyInstance): Enter {
  return entrance.of(scope)
}

/** Limits requests, their bodies, and the time in which bodies arrive. After telemetry, which measures refused requests too. */
export function limitsPart(limits: Required<RequestLimits>, refuse: Refuse): FastifyPluginAsync {
  return serverPart('mesh-limits', ['mesh-problem', 'mesh-telemetry'], async (app) => {
    limitBodyTime(app, limits.bodySeconds, refuse)
    const rate = await provideRateLimit(app, limits, refuse)
    const places = createPlaces(limits, refuse)
    const takeBody = createBodyBytes(app, limits, refuse)
    const turns = createTurns({ atOnce: limits.turnsPerCaller })
    entrance.provide(app, async (request, reply) => {
      places(request, reply)
      await rate.countAdmitted(request)
      takeBody(request, reply)
      const end = await turns.start(ownerOfRequest(request))
      onClose(reply.raw, end)
      if (reply.raw.destroyed) end()
    })
  })
}

// X7: refuses immediately above the limits. Requests that wait for runs and public routes have separate totals.
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
    onClose(reply.raw, () => stateOf(request).leavePlace?.())
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
