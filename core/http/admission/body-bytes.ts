import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Transform } from 'node:stream'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { onClose } from '#core/net/on-close.ts'
import type { Refuse } from '../limits/refusal.ts'
import { ownerOfRequest } from '../endpoint/request-context.ts'
import { createShares } from '../limits/per-owner-count.ts'

type TakeBody = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Limits the bytes of request bodies in total and per caller. A declared length is reserved before the first byte, a chunked body is
 * counted as it arrives. Released when the response is complete, since the parsed body lives until then.
 */
export function createBodyBytes(app: FastifyInstance, limits: Required<RequestLimits>, refuse: Refuse): TakeBody {
  const shares = createShares({ total: limits.bodyBytes, perOwner: limits.bodyBytesPerCaller })
  const take = (owner: string, amount: number): void => {
    const bound = shares.take(owner, amount)
    if (bound === 'total') throw refuse('bodyBytes', limits.bodyBytes)
    if (bound === 'owner') throw refuse('bodyBytesPerCaller', limits.bodyBytesPerCaller)
  }
  const growing = new WeakMap<FastifyRequest, { readonly owner: string; bytes: number }>()
  // The hook uses a callback, since the parser must attach its listeners in the same tick.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const held = growing.get(request)
    if (held === undefined) return done(null, payload)
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        try {
          take(held.owner, chunk.length)
          held.bytes += chunk.length
          next(null, chunk)
        } catch (error) {
          next(error instanceof Error ? error : new Error('refused'))
        }
      },
    })
    payload.on('error', (error: Error) => counted.destroy(error))
    // A body of a refused media type has no parser: without a listener its client could end the process by leaving.
    counted.on('error', () => undefined)
    return done(null, payload.pipe(counted))
  })
  return (request, reply) => {
    const held = { owner: ownerOfRequest(request), bytes: declaredBytes(request) }
    take(held.owner, held.bytes)
    if (request.raw.headers['transfer-encoding'] !== undefined) growing.set(request, held)
    onClose(reply.raw, () => shares.give(held.owner, held.bytes))
  }
}

// A body above the route's limit is refused without being read (413).
function declaredBytes(request: FastifyRequest): number {
  const declared = Number(request.raw.headers['content-length'] ?? 0)
  return declared <= request.routeOptions.bodyLimit ? declared : 0
}
