import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { lingerOnClose } from './linger-close.ts'
import type { LingerBounds } from './linger-close.ts'

/** A server that refuses every body unread, and the paths of its requests. */
async function start(t: TestContext, bounds?: LingerBounds) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    // Later than the beginning of the body, which then fills the request and stops the connection.
    setTimeout(() => response.writeHead(413, { 'content-length': 6, connection: 'close' }).end('large\n'), 50)
  })
  lingerOnClose(server, bounds)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { paths, port: (server.address() as AddressInfo).port }
}

const head = ['POST /first HTTP/1.1', 'Host: x']

for (const framing of ['length', 'chunked'] as const)
  test(`R2-M14: a client that writes 64 MiB before it reads gets its response (${framing})`, async (t) => {
    const { port } = await start(t)
    const { text, error } = await sendLargeBody({ port, head, framing, mebibytes: 64 })
    assert.equal(error, undefined)
    assert.match(text, /^HTTP\/1\.1 413 [\s\S]*\r\n\r\nlarge\n$/)
  })

test('R2-M14: no more than the bound of bytes is dropped', async (t) => {
  const { port } = await start(t, { bytes: 1024 * 1024, seconds: 60 })
  const { error } = await sendLargeBody({ port, head, framing: 'length', mebibytes: 512 })
  assert.match(String(error), /EPIPE|ECONNRESET/)
})

const timed = { timeout: 20_000 }

test('R2-M14: what follows a refused body is not served, and the wait for its end is bounded', timed, async (t) => {
  const { port, paths } = await start(t, { bytes: 1024 * 1024, seconds: 0.5 })
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(`${head.join('\r\n')}\r\nContent-Length: 10\r\n\r\nbegin`)
  await once(socket, 'end')
  assert.match(text, /^HTTP\/1\.1 413 /, 'the response comes before the wait')
  socket.write('enden')
  // Only a destroyed connection answers a later write with a reset.
  const writing = setInterval(() => socket.write('GET /second HTTP/1.1\r\nHost: x\r\n\r\n'), 50)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(writing)
  assert.deepEqual(paths, ['/first'])
})
