import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { Agent } from 'undici'
import { collect, exchange } from './request.ts'

test('exchange: streams, pauses on a promise, aborts, follows no redirect, bounds what it collects', async (t) => {
  let closed = 0
  const server = createServer((request, response) => {
    if (request.url === '/redirect') return response.writeHead(302, { location: '/' }).end('moved')
    if (request.url === '/hang') {
      response.writeHead(200).write('first')
      response.on('close', () => server.emit('cut', ++closed))
      return undefined
    }
    if (request.url === '/large') return response.writeHead(200).end('x'.repeat(70_000))
    response.writeHead(200).write('a')
    return response.end('b'.repeat(1000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dispatcher = new Agent()
  t.after(async () => {
    await dispatcher.destroy()
    server.close()
  })
  const base = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    method: 'GET' as const,
    headers: {},
  }

  let size = 0
  const pauses: Promise<void>[] = []
  await exchange(dispatcher, {
    ...base,
    path: '/',
    onHead: (status) => assert.equal(status, 200),
    onData: (chunk) => {
      size += chunk.length
      const pause = new Promise<void>((resolve) => setImmediate(resolve))
      pauses.push(pause)
      return pause
    },
  })
  assert.equal(size, 1001)
  let chunks = 0
  // A pause that has ended already must not repeat an empty chunk without end.
  await exchange(dispatcher, {
    ...base,
    path: '/large',
    onHead: () => undefined,
    onData: (chunk) => {
      assert.ok(chunk.length > 0 && ++chunks < 100)
      return Promise.resolve()
    },
  })
  assert.equal((await collect(dispatcher, { ...base, path: '/redirect' })).status, 302)
  await assert.rejects(collect(dispatcher, { ...base, path: '/', maxBytes: 100 }), /above 100 bytes/)

  const stop = new AbortController()
  const cutByUs = once(server, 'cut')
  const hanging = exchange(dispatcher, {
    ...base,
    path: '/hang',
    signal: stop.signal,
    onHead: () => undefined,
    onData: () => stop.abort(new Error('enough')),
  })
  await assert.rejects(hanging, /enough/)
  await cutByUs
  await assert.rejects(collect(dispatcher, { ...base, path: '/', signal: stop.signal }), /enough/)
})

test('an abort rejects at once while the request waits for a connection, and its answer is never delivered', async (t) => {
  const answers: ServerResponse[] = []
  const server = createServer((_request, response) => void answers.push(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dispatcher = new Agent({ connections: 1, pipelining: 1 })
  t.after(async () => {
    await dispatcher.destroy()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const first = collect(dispatcher, { origin, path: '/', method: 'GET', headers: {} })
  await once(server, 'request')
  const stop = new AbortController()
  let delivered = 0
  const second = exchange(dispatcher, {
    origin,
    path: '/',
    method: 'GET',
    headers: {},
    signal: stop.signal,
    onHead: () => void delivered++,
    onData: () => void delivered++,
  })
  stop.abort(new Error('enough'))
  await assert.rejects(second, /enough/)
  answers[0]?.end('first')
  assert.equal((await first).body.toString(), 'first')
  const third = collect(dispatcher, { origin, path: '/', method: 'GET', headers: {} })
  await once(server, 'request')
  answers.at(-1)?.end('third')
  assert.equal((await third).body.toString(), 'third')
  assert.equal(delivered, 0)
})
