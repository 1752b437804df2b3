import { once } from 'node:events'
import { STATUS_CODES, createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { securityHeaders } from '#core/http/problem/security-headers.ts'
import { lingerOnClose, respondAndLinger } from '#core/net/linger-close.ts'
import { isServedHost } from '#core/net/loopback-host.ts'

/** Response to a probe: plain text if no type is given. */
export interface ProbeResponse {
  readonly status: number
  readonly body: string
  readonly type?: string
}

/** Answers GET and HEAD of a path; undefined: not found. `query` is what follows the first question mark. */
export type HandleProbe = (
  path: string,
  query: string | undefined,
) => ProbeResponse | undefined | Promise<ProbeResponse | undefined>

/** Server without authentication for kubelet and Prometheus. `hosts` are host names served besides those of loopback (H1); undefined: any. */
export function createProbeServer(answer: HandleProbe, hosts?: readonly string[]): Server {
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    // Asynchronous as a whole: any error is a rejection handled here, never an uncaught exception (SEC1).
    respond(request, response, { answer, hosts }).catch(() => {
      if (response.headersSent) response.destroy()
      else send(response, { status: 500, body: 'internal error\n' })
    })
  })
  lingerOnClose(server)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseBroken(error.code, socket))
  return server
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, hosts }: { readonly answer: HandleProbe; readonly hosts: readonly string[] | undefined },
): Promise<void> {
  // Node's own 400 has no body.
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    return send(response, { status: 400, body: 'the Host header is missing\n' })
  if (hosts !== undefined && !isServedHost(request.headers.host, hosts))
    return send(response, { status: 421, body: 'this host is not served here\n' })
  const target = request.url ?? ''
  // Only proxies use absolute and asterisk forms.
  if (!target.startsWith('/')) return send(response, { status: 400, body: 'the target must be a path\n' })
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return send(response, { status: 405, body: 'method not allowed\n' })
  }
  const [path = '', query] = target.split('?', 2)
  send(response, (await answer(path, query)) ?? { status: 404, body: 'not found\n' })
}

function send(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8' }: ProbeResponse): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type }).end(body)
}

// Node's parser refused the request. The thread of the liveness probe loads no schemas, so the body is not a problem document.
function refuseBroken(code: string | undefined, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body = `${(STATUS_CODES[status] ?? '').toLowerCase()}\n`
  const type = 'text/plain; charset=utf-8'
  const headers = { ...securityHeaders, 'content-type': type, 'content-length': body.length, connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const response = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
  if (status === 431) respondAndLinger(socket, response)
  else socket.end(response)
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
