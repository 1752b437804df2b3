import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import { buildServer } from '../testing/build-server.ts'
import { authorized, free, route, start } from '../testing/hardened.ts'
import { sendRaw } from '../testing/raw-request.ts'

test('an injected request whose body is not read has no deadline, and prints no warning', async (t) => {
  const closed = endpoint({
    method: 'POST',
    url: '/closed',
    summary: 'x',
    authz: { kind: 'bearer' },
    body: Type.Object({}),
    response: { 200: Type.Object({}) },
    handle: async () => ({}),
  })
  const { app } = await buildServer(t, [{ endpoints: [closed] }], { limits: { bodySeconds: 0.05 } })
  const stop = new AbortController()
  const warned = once(process, 'warning', { signal: stop.signal }).then(
    ([warning]) => String(warning),
    () => undefined,
  )
  const { statusCode } = await app.inject({ method: 'POST', url: '/api/closed', payload: { some: 'body' } })
  assert.equal(statusCode, 401)
  setTimeout(() => stop.abort(), 300)
  assert.doesNotMatch(String(await warned), /NaN/)
})

test('F3: a body that arrived while the process was suspended is read, past its deadline', async (t) => {
  const { app, url } = await start(t, [route({ method: 'POST', url: '/echo', body: free })], {
    limits: { bodySeconds: 1 },
  })
  const head = `POST /api/echo HTTP/1.1\n${authorized}\nContent-Type: application/json\nContent-Length: 2`
  const received = once(app.server, 'request')
  const request = sendRaw(Number(new URL(url).port), head)
  t.after(() => request.socket.destroy())
  await received
  // The deadline starts a few turns later, when the body is read.
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  request.socket.write('{}')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
  assert.equal(await request.status, 200)
})
