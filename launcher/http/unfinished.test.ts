import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants, connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { createIdentity } from '../identity/identity.ts'
import { createLog } from '../telemetry/log.ts'
import { listen } from './listener.ts'
import type { ListenOptions } from './listener.ts'
import { definePort } from './port.ts'
import { anyObject } from './schema.ts'

const log = createLog('error')
const limitMs = 20_000

/** A listener with a route that reads its body. */
async function serve(t: TestContext, protocol: 'http' | 'https' | 'h2') {
  const port = definePort({
    name: protocol === 'h2' ? 'otlpGrpc' : 'invoke',
    bodyLimit: 4 * 1024 * 1024,
    ...(protocol === 'h2' ? { protocol } : {}),
    routes: {
      echo: { method: 'POST', path: '/echo', summary: 'x', body: anyObject, responses: { 200: anyObject } },
    },
  })
  const options: ListenOptions = { address: '127.0.0.1', number: 0, log }
  const identity = createIdentity({ request: (x) => createTestIssuer().certify(x, 'uid-1'), log })
  t.after(identity.close)
  const served = port.serve({ echo: async ({ body }) => ({ status: 200, body: await body() }) })
  const listener = await listen(served, protocol === 'https' ? { ...options, identity } : options)
  t.after(listener.close)
  const open = async (): Promise<Socket> => {
    const to = { port: listener.port, host: '127.0.0.1' }
    const socket = protocol === 'https' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
    await once(socket, protocol === 'https' ? 'secureConnect' : 'connect')
    t.after(() => socket.destroy())
    return socket.on('error', () => undefined)
  }
  return { port: listener.port, open }
}

/** Fails unless the server closes each connection in time. */
async function areClosed(sockets: readonly Socket[]): Promise<void> {
  const signal = AbortSignal.timeout(limitMs)
  await Promise.all(sockets.map((socket) => (socket.resume(), socket.destroyed || once(socket, 'close', { signal }))))
}

const head = (length: number | 'chunked', port: number): string =>
  `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  }\r\n\r\n`

for (const protocol of ['http', 'https'] as const)
  test(
    `R2-N10: an unfinished head or body is closed within 12 seconds (${protocol})`,
    { timeout: 60_000 },
    async (t) => {
      const { port, open } = await serve(t, protocol)
      const begun = [
        '',
        'POST /echo HTTP/1.1\r\nHost: x\r\nX-Slow: ',
        `${head(1_000, port)}{`,
        head(1_000, port),
        `${head('chunked', port)}1\r\n{\r\n`,
        // Refused before its body is read.
        `${head(1_000, port).replace('/echo', '/none')}{`,
      ]
      const sockets = await Promise.all(
        begun.map(async (text) => {
          const socket = await open()
          socket.write(text)
          return socket
        }),
      )
      await areClosed(sockets)
    },
  )

test('R2-N10: a byte a second does not keep a body open', { timeout: 60_000 }, async (t) => {
  const { port, open } = await serve(t, 'http')
  const socket = await open()
  socket.write(`${head(1_000, port)}{`)
  const drip = setInterval(() => socket.write(' '), 1_000)
  t.after(() => clearInterval(drip))
  await areClosed([socket])
})

test('R2-N10: a slow body with progress is read completely', { timeout: 60_000 }, async (t) => {
  const { port, open } = await serve(t, 'http')
  const socket = await open()
  const [pieces, piece] = [14, 256 * 1024]
  socket.write(head(pieces * piece + 2, port))
  for (let sent = 0; sent < pieces; sent++) {
    socket.write(' '.repeat(piece))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  socket.write('{}')
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 200 /)
})

test(
  'R2-N10: a session of HTTP/2 without a request, and one with an unfinished body, are closed',
  { timeout: 60_000 },
  async (t) => {
    const { port, open } = await serve(t, 'h2')
    const silent = await open()
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    t.after(() => session.destroy())
    const request = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      ':path': '/echo',
      'content-type': 'application/grpc',
    })
    request.on('error', () => undefined).write('{')
    const ended = once(request, 'close', { signal: AbortSignal.timeout(limitMs) })
    await Promise.all([areClosed([silent]), ended])
  },
)
