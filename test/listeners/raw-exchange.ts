import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Address of a listener under test. */
export interface Address {
  readonly port: number
  /** Uses TLS without checking the certificate. */
  readonly tls?: boolean
}

/** How a connection ended. */
export interface RawAnswer {
  /** Bytes received, as Latin-1. */
  readonly text: string
  /**
   * `answered`: a complete response was received, the connection may be open. `closed`: the server closed it. `silent`: neither in time.
   */
  readonly end: 'answered' | 'closed' | 'silent'
}

/** Sends raw bytes on a new connection, and reads until a complete response, the end of the connection, or the deadline. */
export async function exchangeRaw(address: Address, request: Buffer | string, deadlineMs: number): Promise<RawAnswer> {
  const bytes = typeof request === 'string' ? Buffer.from(request, 'latin1') : request
  const socket = await open(address)
  let text = ''
  const bodiless = bytes.toString('latin1', 0, 5) === 'HEAD '
  const { promise, resolve } = Promise.withResolvers<RawAnswer['end']>()
  const late = setTimeout(() => resolve('silent'), deadlineMs)
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (isWhole(text, bodiless)) resolve('answered')
  })
  // A server that responds before it has read everything resets the connection, which is a normal end.
  for (const event of ['error', 'end', 'close'] as const) socket.on(event, () => resolve('closed'))
  socket.write(bytes)
  const end = await promise
  clearTimeout(late)
  socket.destroy()
  return { text, end: isWhole(text, bodiless) ? 'answered' : end }
}

function open({ port, tls }: Address): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket: Socket =
    tls === true
      ? connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => resolve(socket))
      : connect({ host: '127.0.0.1', port }, () => resolve(socket))
  socket.once('error', reject)
  return promise
}

// Without Content-Length and chunks, the end of the connection is the end of the response.
function isWhole(text: string, bodiless: boolean): boolean {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return false
  if (bodiless) return true
  const fields = text.slice(0, head).toLowerCase()
  const body = text.slice(head + 4)
  if (/^http\/1\.1 (?:1|204|304)/.test(fields)) return true
  const length = /\r\ncontent-length: (\d+)/.exec(fields)?.[1]
  if (length !== undefined) return body.length >= Number(length)
  return /\r\ntransfer-encoding: chunked/.test(fields) && body.endsWith('0\r\n\r\n')
}

/** Status of a response; undefined if there was none. */
export function statusOf({ text }: RawAnswer): number | undefined {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]
  return status === undefined ? undefined : Number(status)
}
