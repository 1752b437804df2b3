import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isServedHost } from '#core/net/loopback-host.ts'

/** A server on loopback. */
export interface LoopbackServer {
  readonly url: string
  close(): Promise<void>
}

/** How requests are served. A failure is passed to `fail`, which responds. */
export interface LoopbackHandlers {
  respond(request: IncomingMessage, response: ServerResponse): Promise<void>
  fail(response: ServerResponse, error: unknown): void
}

/** Serves HTTP on loopback. Rejects if the port cannot be bound. */
export async function listenOnLoopback(port: number, { respond, fail }: LoopbackHandlers): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      fail(response, error)
      // A client reads the response when it has sent its body.
      request.resume()
    })
  })
  server.requestTimeout = 30_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the system gave no port')
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    // Also those that are open, such as streams.
    server.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${bound.port}`, close }
}

/** Whether a request comes from this machine and from no page of another origin (H1). */
export function isLocalRequest({ headers, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  const { host, origin, 'sec-fetch-site': site } = headers
  const isOwn = origin === undefined || origin === `http://${host}`
  return hosts.length === 1 && isServedHost(host) && isOwn && site !== 'cross-site' && site !== 'same-site'
}
