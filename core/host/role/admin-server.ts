import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { answerBrokenRequest } from '#core/http/problem/broken-request.ts'
import { securityHeaders } from '#core/http/problem/security-headers.ts'
import { isServedHost } from '#core/net/loopback-host.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { describeReadiness } from './readiness.ts'
import type { ReadinessProbe } from './readiness.ts'

/** Content of the admin port, and the hosts it serves. */
export interface AdminOptions {
  readonly readiness: ReadinessProbe['read']
  readonly metrics: Metrics
  /** Host names served besides those of loopback (H1); undefined: any. */
  readonly hosts?: readonly string[] | undefined
}

/** Serves `/livez`, `/readyz?verbose` and `/metrics` for kubelet and Prometheus, without authentication and without secrets. */
export function createAdminServer(options: AdminOptions): Server {
  const server = createServer((request, response) => {
    // Asynchronous as a whole: any error is a rejection handled here, never an uncaught exception (SEC1).
    answer(options, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else text(response, 500, 'internal error\n')
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBrokenRequest(error.code, socket))
  return server
}

async function answer(options: AdminOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hosts, readiness, metrics } = options
  if (hosts !== undefined && !isServedHost(request.headers.host, hosts))
    return text(response, 421, 'this host is not served here\n')
  const target = request.url ?? ''
  // Only proxies use absolute and asterisk forms.
  if (!target.startsWith('/')) return text(response, 400, 'the target must be a path\n')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return text(response, 405, 'method not allowed\n')
  }
  const [path, query] = target.split('?', 2)
  if (path === '/livez') return text(response, 200, 'ok\n')
  if (path === '/metrics')
    return text(response, 200, await metrics.render(), 'text/plain; version=0.0.4; charset=utf-8')
  if (path !== '/readyz') return text(response, 404, 'not found\n')
  const verbose = new URLSearchParams(query).has('verbose')
  const found = await readiness({ verbose })
  // A failure is always listed in detail.
  text(response, found.ready ? 200 : 503, verbose || !found.ready ? describeReadiness(found) : 'ok\n')
}

function text(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type }).end(body)
}

/** Listens. Uses a free port if the configured one is taken and `mayMove` is set. Returns the port. */
export async function listen(
  server: Server,
  options: { host: string; port: number; mayMove: boolean },
): Promise<number> {
  server.listen(options.port, options.host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (!isTaken(error) || !options.mayMove || options.port === 0) throw error
    return listen(server, { ...options, port: 0 })
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : options.port
}

/** Whether listening failed because another process uses the port. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
