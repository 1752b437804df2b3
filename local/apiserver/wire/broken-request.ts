import { STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { respondAndLinger } from './linger-close.ts'

const codes: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

const messages: Readonly<Record<number, string>> = {
  400: 'the request is not valid HTTP',
  408: 'the request did not arrive in time',
  431: 'the header fields of the request are too large',
}

/** Responds with a Status to a request that Node's parser refused. `name` is the parser's. */
export function respondToBroken(name: string | undefined, socket: Duplex): void {
  if (name === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const code = codes[name ?? ''] ?? 400
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: messages[code], code }
  const body = `${JSON.stringify(status)}\n`
  const fields = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`
  const response = `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${fields}\r\n${body}`
  // The parser reports its error again with each further piece.
  if (code === 431 && socket instanceof Socket) respondAndLinger(socket, response)
  else socket.end(response, () => socket.destroy())
}
