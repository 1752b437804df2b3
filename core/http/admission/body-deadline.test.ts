import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import { buildServer } from '../testing/build-server.ts'

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
