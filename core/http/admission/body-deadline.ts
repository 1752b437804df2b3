import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Refuse } from '../limits/refusal.ts'

// Each of these extends the deadline by a second, since large bodies over slow connections are valid.
const BYTES_A_SECOND = 256 * 1024

/**
 * Ends requests whose body does not arrive: with 408 and close, or with close alone after another response. The deadline starts when the
 * server reads the body, or has answered without reading it.
 */
export function limitBodyTime(app: FastifyInstance, seconds: number, refuse: Refuse): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request)) reply.raw.once('close', () => watch(request, seconds, () => request.raw.socket.destroy()))
    done()
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (hasBody(request)) {
      const stop = watch(request, seconds, () => expire(reply, refuse('bodySeconds', seconds)))
      reply.raw.once('close', stop)
    }
    done(null, payload)
  })
}

function hasBody({ raw }: FastifyRequest): boolean {
  return Number(raw.headers['content-length'] ?? 0) > 0 || raw.headers['transfer-encoding'] !== undefined
}

function watch(request: FastifyRequest, seconds: number, onLate: () => void): () => void {
  const { raw } = request
  const [startedAt, before] = [performance.now(), raw.socket.bytesRead]
  let timer: NodeJS.Timeout | undefined
  // After a pause of this process, timers run before the bytes that arrived meanwhile are read.
  const check = (hasPolled: boolean): void => {
    if (isOver(request)) return
    const allowedMs = (seconds + (raw.socket.bytesRead - before) / BYTES_A_SECOND) * 1000
    const leftMs = startedAt + allowedMs - performance.now()
    if (leftMs > 0) timer = setTimeout(check, leftMs, false).unref()
    else if (hasPolled) onLate()
    else setImmediate(check, true)
  }
  if (!isOver(request)) timer = setTimeout(check, seconds * 1000, false).unref()
  return () => clearTimeout(timer)
}

// An injected request has no connection, on which bytes could be late.
function isOver({ raw }: FastifyRequest): boolean {
  return !('bytesRead' in raw.socket) || raw.complete || raw.readableEnded || raw.destroyed
}

function expire(reply: FastifyReply, fail: Error): void {
  if (reply.sent || reply.raw.headersSent) reply.raw.destroy()
  else void reply.send(fail)
}
