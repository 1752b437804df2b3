import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import { openEventStream } from '../stream/event-stream.ts'
import { good, listed, route, start } from '../testing/hardened.ts'

test('X7: above its limits a replica answers 503 or 429 with Retry-After, before anything upstream', async (t) => {
  const gate = { entered: Promise.withResolvers<void>(), leave: Promise.withResolvers<void>() }
  const slow = route({
    url: '/slow',
    handle: async () => {
      gate.entered.resolve()
      await gate.leave.promise
      return {}
    },
  })
  const { app, upstream } = await start(t, [slow, listed], {
    limits: { underWay: 1, perCallerPerMinute: 3 },
  })
  const first = app.inject({ url: '/api/slow', headers: good })
  await gate.entered.promise
  upstream.length = 0
  const overloaded = await app.inject({ url: '/api/things', headers: good })
  assert.deepEqual(
    [overloaded.statusCode, overloaded.json<{ code: string }>().code, overloaded.headers['retry-after']],
    [503, 'overloaded', '1'],
  )
  gate.leave.resolve()
  assert.equal((await first).statusCode, 200)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await app.inject({ url: '/api/things', headers: good })).statusCode)
  assert.deepEqual(statuses, [200, 200, 429, 429])
  const other = await app.inject({ url: '/api/things', headers: { authorization: 'Bearer other-token' } })
  assert.equal(other.statusCode, 200)
})

test('X1: streams have heartbeats, caps per user and replica, a re-check, and a client that never reads is cut at 256 KiB', async (t) => {
  const opened: { send(frame: string): Promise<void> | undefined; closed: Promise<void> }[] = []
  let allowed = true
  const stream = route({
    url: '/stream',
    stream: true,
    handle: async (call) => {
      opened.push(
        openEventStream(call, {
          heartbeatMs: 20,
          recheckMs: 20,
          recheck: async () => {
            if (!allowed) throw new Fail('forbidden')
          },
        }),
      )
    },
  })
  const { app, url, services } = await start(t, [stream])
  const open = () => fetch(`${url}/api/stream`, { headers: good })
  const first = await open()
  assert.equal(first.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(first.headers.get('x-content-type-options'), 'nosniff')
  const reader = first.body?.getReader()
  assert.equal(new TextDecoder().decode((await reader?.read())?.value), ': \n\n')
  const second = await open()
  const third = await open()
  assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '5'])
  await third.text()
  // HEAD returns headers only and occupies no slot
  await second.body?.cancel()
  await opened[1]?.closed
  assert.equal((await app.inject({ method: 'HEAD', url: '/api/stream', headers: good })).statusCode, 200)
  assert.equal(services.streams.size, 1)
  // a client that never reads
  const lazy = connect(Number(new URL(url).port), '127.0.0.1')
  await once(lazy, 'connect')
  lazy.pause()
  lazy.write(`GET /api/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good-token\r\n\r\n`)
  while (opened.length < 4) await new Promise((resolve) => setImmediate(resolve))
  const mine = opened[3]
  const frame = `data: ${'x'.repeat(16_384)}\n\n`
  // More than kernel buffers and limit together; data sent after the close is discarded.
  for (let sent = 0; sent < 1000; sent++) {
    void mine?.send(frame)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await mine?.closed
  lazy.destroy()
  // the permission is revoked: the stream ends
  allowed = false
  while ((await reader?.read())?.done === false);
  await opened[0]?.closed
  assert.equal(services.streams.size, 0)
})
