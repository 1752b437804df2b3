import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasBody, watchBodyTime } from '#core/net/body-time.ts'
import { onClose } from '#core/net/on-close.ts'
import type { Refuse } from '../limits/refusal.ts'

/**
 * Ends requests whose body does not arrive: with 408 and close, or with close alone after another response. The deadline starts when the
 * server reads the body, or has responded without reading it.
 */
export function limitBodyTime(app: FastifyInstance, seconds: number, refuse: Refuse): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) onClose(reply.raw, () => watch(request, seconds, () => request.raw.socket.destroy()))
    done()
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (hasBody(request.raw)) {
      const stop = watch(request, seconds, () => expire(reply, refuse('bodySeconds', seconds)))
      onClose(reply.raw, stop)
    }
    done(null, payload)
  })
}

function watch({ raw }: FastifyRequest, seconds: number, onLate: () => void): () => void {
  // An injected request has no connection, on which bytes could be late.
  if (!('bytesRead' in raw.socket)) return () => undefined
  return watchBodyTime(raw, { seconds, received: () => raw.socket.bytesRead }, onLate)
}

function expire(reply: FastifyReply, fail: Error): void {
  if (reply.sent || reply.raw.headersSent) reply.raw.destroy()
  else void reply.send(fail)
}
