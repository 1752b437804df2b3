import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { describeReadiness } from './readiness.ts'
import type { Readiness } from './readiness.ts'

/** What the admin port shows. */
export interface AdminOptions {
  readonly readiness: () => Promise<Readiness>
  readonly metrics: Metrics
}

/** `/livez`, `/readyz?verbose` and `/metrics`: for the kubelet and the scraper, without a bearer and without secrets. */
export function createAdminServer(options: AdminOptions): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://admin')
    answer(options, url, response).catch(() => text(response, 500, 'internal error\n'))
  })
}

async function answer({ readiness, metrics }: AdminOptions, url: URL, response: ServerResponse): Promise<void> {
  if (url.pathname === '/livez') return text(response, 200, 'ok\n')
  if (url.pathname === '/metrics')
    return text(response, 200, await metrics.render(), 'text/plain; version=0.0.4; charset=utf-8')
  if (url.pathname !== '/readyz') return text(response, 404, 'not found\n')
  const found = await readiness()
  // A failure is always told in full: it is what the reader came for.
  const verbose = url.searchParams.has('verbose') || !found.ready
  text(response, found.ready ? 200 : 503, verbose ? describeReadiness(found) : 'ok\n')
}

function text(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(body)
}

/** Listens; a taken port moves to a free one when it may. Resolves with the port. */
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

/** Whether listening failed because another process has the port. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
