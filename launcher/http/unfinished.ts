import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { hasBody, watchBodyTime } from '#core/net/body-time.ts'
import { respondAndLinger } from '#core/net/linger-close.ts'
import { Refusal, refusals } from '../contract/http/refusal.ts'
import type { RefusalCode } from '../contract/http/refusal.ts'
import { http2StreamOf } from './transport.ts'

// Timeout of a body without progress, the same as in the listeners of the roles.
const bodySeconds = 10

const parserCodes: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The refusal of a request that Node's parser refused. `code` is the error code of the parser. */
export function toParserRefusal(code: string | undefined): Refusal {
  return new Refusal(parserCodes[code ?? ''] ?? 'malformed_request')
}

/** Responds to a request that never reaches a route, and closes its connection. */
export function refuseConnection(socket: Duplex, { code }: Refusal, body: object): void {
  const { status } = refusals[code]
  const bytes = `${JSON.stringify(body)}\n`
  const fields = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(bytes)}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n`
  const response = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}\r\n${bytes}`
  if (code === 'header_fields_too_large') respondAndLinger(socket, response)
  else socket.end(response, () => socket.destroy())
}

/**
 * Calls `onLate` for a request whose body does not arrive in time, even after its response: the rest of a refused body is not awaited. Progress of
 * 256 KiB on its connection extends the time by a second.
 */
export function limitBodyTime(request: IncomingMessage, onLate: () => void): void {
  const stream = http2StreamOf(request)
  if (stream === undefined ? !hasBody(request) : request.complete) return
  // The socket of a session that is closed cannot be read.
  const received = (): number =>
    stream === undefined ? request.socket.bytesRead : (stream.session?.socket.bytesRead ?? 0)
  const stop = watchBodyTime(request, { seconds: bodySeconds, received }, onLate)
  request.once('close', stop)
}

/** Closes the connection of a request, or its stream of HTTP/2. */
export function abandon(request: IncomingMessage): void {
  const stream = http2StreamOf(request)
  if (stream === undefined) request.socket.destroy()
  else stream.close()
}
