import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { openLink } from './proxy.ts'
import type { Link } from './proxy.ts'
import { until } from './until.ts'

test('a link carries bytes both ways and passes an end on', async (t) => {
  const { client } = await dial(t)
  client.end('hello')
  const chunks: Buffer[] = []
  for await (const chunk of client as AsyncIterable<Buffer>) chunks.push(chunk)
  assert.equal(Buffer.concat(chunks).toString(), 'hello')
})

test('a half-open link keeps the connection and swallows; healed, the connection is reset and a new one works', async (t) => {
  const { client, link } = await dial(t)
  client.write('a')
  await once(client, 'data')
  link.set({ swallow: true })
  let heard = 0
  client.on('data', () => heard++)
  client.write('b')
  await until('it was swallowed', () => link.swallowed === 1)
  assert.equal(link.connections, 1)
  const failed = once(client, 'error')
  link.heal()
  await failed
  assert.equal(heard, 0)
  const next = connect(link.port, '127.0.0.1')
  t.after(() => next.destroy())
  next.write('c')
  assert.equal(String((await once(next, 'data'))[0]), 'c')
})

test('a link resets what is open and refuses what is new', async (t) => {
  const { client, link } = await dial(t)
  client.write('a')
  await once(client, 'data')
  link.reset()
  assert.equal(((await once(client, 'error'))[0] as NodeJS.ErrnoException).code, 'ECONNRESET')
  link.set({ refuse: true })
  const refused = connect(link.port, '127.0.0.1')
  assert.equal(((await once(refused, 'error'))[0] as NodeJS.ErrnoException).code, 'ECONNRESET')
})

test('a link delays, and throttles to a rate', async (t) => {
  const { client, link } = await dial(t)
  link.set({ delayMs: 50, bytesPerSecond: 100_000 })
  const started = performance.now()
  client.end(Buffer.alloc(20_000))
  let received = 0
  for await (const chunk of client as AsyncIterable<Buffer>) received += chunk.length
  assert.equal(received, 20_000)
  // 0.2 s in each direction for the bytes and 0.05 s per chunk.
  assert.ok(performance.now() - started >= 450, `${performance.now() - started} ms`)
})

async function dial(t: TestContext): Promise<{ readonly client: Socket; readonly link: Link }> {
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  t.after(() => echo.close())
  const link = await openLink(t, (echo.address() as AddressInfo).port)
  const client = connect(link.port, '127.0.0.1')
  client.on('error', () => undefined)
  t.after(() => client.destroy())
  await once(client, 'connect')
  return { client, link }
}
