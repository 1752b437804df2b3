import type { Duplex } from 'node:stream'
import { errorTable } from './errors.ts'
import { securityHeaders } from './security-headers.ts'

const parserCodes: Readonly<Record<string, keyof typeof errorTable>> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers what Node's parser refused, and ends the connection; it never reaches a route. `code` is the parser's. */
export function answerBrokenRequest(code: string | undefined, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const name = parserCodes[code ?? ''] ?? 'malformed_request'
  const { status, title } = errorTable[name]
  const body = JSON.stringify({ type: `urn:mesh:error:${name}`, title, status, code: name, retryable: false })
  const headers = {
    ...securityHeaders,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${title.replace(/\.$/, '')}\r\n${lines.join('')}\r\n${body}`)
}
