import assert from 'node:assert/strict'
import test from 'node:test'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { createIdentity } from '../identity/identity.ts'
import { createLog } from '../telemetry/log.ts'
import { listen } from './listener.ts'
import type { ListenOptions } from './listener.ts'
import { definePort } from '../contract/http/port.ts'
import { anyObject } from '#schemas/wire/schema.ts'

const log = createLog('error')
const timed = { timeout: 60_000 }

/** A listener with a route that reads its body. `refused`: codes of what it refused. */
async function serve(t: TestContext, protocol: 'http' | 'https' | 'h2') {
  const port = definePort({
    name: protocol === 'h2' ? 'otlpGrpc' : 'ampInbound',
    bodyLimit: 4 * 1024 * 1024,
    ...(protocol === 'h2' ? { protocol } : {}),
    routes: {
      echo: { method: 'POST', path: '/echo', summary: 'x', body: anyObject, responses: { 200: anyObject } },
    },
  })
  const refused: string[] = []
  const options: ListenOptions = { address: '127.0.0.1', number: 0, log, onRefusal: (_, code) => refused.push(code) }
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
  return { port: listener.port, refused, open }
}

/** What arrives on a connection until the server closes it. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  if (!socket.destroyed) await once(socket, 'close')
  return text
}

const head = (length: number | 'chunked', port: number, path = '/echo'): string =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  }\r\n\r\n`

for (const protocol of ['http', 'https'] as const)
  test(
    `R2-N10: an unfinished head or body is answered 408 and closed (${protocol})`,
    { timeout: 60_000 },
    async (t) => {
      const { port, open, refused } = await serve(t, protocol)
      const respond = async (text: string): Promise<string> => {
        const socket = await open()
        socket.write(text)
        return readToEnd(socket)
      }
      // A byte a second is no progress.
      const drip = async (): Promise<string> => {
        const socket = await open()
        socket.write(`${head(1_000, port)}{`)
        const timer = setInterval(() => socket.write(' '), 1_000)
        t.after(() => clearInterval(timer))
        return readToEnd(socket)
      }
      const late = await Promise.all([
        respond(''),
        respond('POST /echo HTTP/1.1\r\nHost: x\r\nX-Slow: '),
        respond(`${head(1_000, port)}{`),
        respond(head(1_000, port)),
        respond(`${head('chunked', port)}1\r\n{\r\n`),
        drip(),
      ])
      for (const text of late)
        assert.match(
          text,
          /^HTTP\/1.1 408 Request Timeout\r\n[\s\S]*connection: close[\s\S]*\{"error":"request_timeout"/i,
          text,
        )
      // Refused before its body is read, so that the rest is not waited for.
      assert.match(await respond(`${head(1_000, port, '/none')}{`), /^HTTP\/1.1 404 /)
      assert.match(await respond('NOT HTTP\r\n\r\n'), /^HTTP\/1.1 400 [\s\S]*"error":"malformed_request"/)
      assert.deepEqual(
        refused.toSorted(),
        [...late.map(() => 'request_timeout'), 'malformed_request', 'not_found'].toSorted(),
      )
    },
  )

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
  'R2-N10: a session of HTTP/2 without a request is closed, and an unfinished body is answered 408',
  {
    timeout: 60_000,
  },
  async (t) => {
    const { port, open, refused } = await serve(t, 'h2')
    const silent = await open()
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    t.after(() => session.destroy())
    const request = session.request({ ':method': 'POST', ':path': '/echo', 'content-type': 'application/json' })
    request.write('{')
    // A stream whose data is not read does not end.
    request.resume()
    const [[fields]] = await Promise.all([once(request, 'response'), once(request, 'close'), readToEnd(silent)])
    assert.equal((fields as Record<string, unknown>)[':status'], 408)
    assert.deepEqual(refused, ['request_timeout'])
  },
)

for (const protocol of ['http', 'https'] as const)
  test(
    `R2-M15: a client that writes 5 MiB of header fields before it reads gets its 431 (${protocol})`,
    timed,
    async (t) => {
      const { port, refused } = await serve(t, protocol)
      const fields = ['POST /echo HTTP/1.1', 'Host: x', `X: ${'x'.repeat(1024 * 1024)}`]
      const sent = { port, tls: protocol === 'https', head: fields, framing: 'length', mebibytes: 4 } as const
      const { text, error } = await sendLargeBody(sent)
      assert.equal(error, undefined)
      assert.match(text, /^HTTP\/1\.1 431 [\s\S]*\r\n\r\n\{"error":"header_fields_too_large"/)
      assert.deepEqual(refused, ['header_fields_too_large'])
    },
  )
