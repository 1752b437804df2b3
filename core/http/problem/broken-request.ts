import type { Duplex } from 'node:stream'
import type { ErrorCode } from '#core/errors/core-errors.ts'
import { respondAndLinger } from '#core/net/linger-close.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ErrorFormat } from './error-format.ts'
import { toProblemResponse } from './problem.ts'
import { securityHeaders } from './security-headers.ts'

const parserCodes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Responds to a request that Node's parser refused, and closes the connection; it never reaches a route. `code` is the parser's. */
export function respondToBrokenRequest(code: string | undefined, socket: Duplex, format?: ErrorFormat): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const name = parserCodes[code ?? ''] ?? 'malformed_request'
  const { status, problem } = toProblemResponse(new Fail(name))
  const wire = format?.write(new Fail(name), { isUnknown: false })
  const body = `${wire?.body ?? JSON.stringify({ ...problem, retryable: false })}\n`
  const headers = {
    ...securityHeaders,
    'content-type': wire?.contentType ?? 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`)
  const response = `HTTP/1.1 ${status} ${problem.title.replace(/\.$/, '')}\r\n${lines.join('')}\r\n${body}`
  // A request that is late or malformed is closed immediately: its client may never complete it.
  if (name === 'header_fields_too_large') respondAndLinger(socket, response)
  else socket.end(response)
}
