import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const piece = Buffer.alloc(1024 * 1024, 0x20)

/** Content-Length or chunks. */
export type Framing = 'length' | 'chunked'

/** A request whose body is far above every limit. */
export interface LargeBody {
  readonly port: number
  readonly tls?: boolean
  /** Request line and header fields, without those of the body. */
  readonly head: readonly string[]
  readonly framing: Framing
  readonly mebibytes: number
}

/** Writes all of a body before it reads anything, as many clients do. Returns what was received until the connection closed, and its error. */
export async function sendLargeBody(request: LargeBody): Promise<{ readonly text: string; readonly error?: string }> {
  const { port, head, framing, mebibytes } = request
  const options = { port, host: '127.0.0.1' }
  const socket: Socket = request.tls === true ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
  let error: string | undefined
  socket.on('error', (found: NodeJS.ErrnoException) => (error ??= found.code ?? found.message))
  await once(socket, request.tls === true ? 'secureConnect' : 'connect')
  // Not `once`, which rejects with the error.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.pause()
  const size = framing === 'length' ? `Content-Length: ${mebibytes * piece.length}` : 'Transfer-Encoding: chunked'
  socket.write(`${[...head, size].join('\r\n')}\r\n\r\n`)
  for (let sent = 0; sent < mebibytes && !socket.destroyed; sent++) await writePiece(socket, framing, closed)
  if (!socket.destroyed && framing === 'chunked') socket.write('0\r\n\r\n')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.resume()
  await closed
  return { text, ...(error === undefined ? {} : { error }) }
}

async function writePiece(socket: Socket, framing: Framing, closed: Promise<unknown>): Promise<void> {
  if (framing === 'chunked') socket.write(`${piece.length.toString(16)}\r\n`)
  const isFull = !socket.write(piece)
  if (framing === 'chunked') socket.write('\r\n')
  if (!isFull) return
  const drained = new AbortController()
  await Promise.race([once(socket, 'drain', drained).catch(() => undefined), closed])
  drained.abort()
}
