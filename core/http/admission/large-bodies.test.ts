import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { Type } from 'typebox'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { buildServer } from '../testing/build-server.ts'

test('R2-M14: a client that writes 64 MiB before it reads gets a 413, or the refusal that comes before it', async (t) => {
  let handled = 0
  const post = endpoint({
    method: 'POST',
    url: '/things',
    summary: 'x',
    authz: { kind: 'bearer' },
    body: Type.Unknown(),
    response: { 200: Type.Unknown() },
    handle: async () => ({ handled: ++handled }),
  })
  const { app } = await buildServer(t, [{ endpoints: [post] }])
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const cases = [
    [413, 'Authorization: Bearer good-token', 'Content-Type: application/json'],
    [413, 'Authorization: Bearer good-token', 'Content-Type: application/yaml'],
    [415, 'Authorization: Bearer good-token', 'Content-Type: text/plain'],
    [401, 'X-A: b', 'Content-Type: application/json'],
  ] as const
  for (const framing of ['length', 'chunked'] as const)
    for (const [status, ...headers] of cases) {
      // A client that asked for its end closes after the response.
      const more = status === 413 ? [] : ['Connection: close']
      const head = ['POST /api/things HTTP/1.1', 'Host: 127.0.0.1', ...headers, ...more]
      const { text, error } = await sendLargeBody({ port, head, framing, mebibytes: 64 })
      assert.equal(error, undefined, `${status} ${framing}`)
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} [^]*connection: close\r\n[^]*\\}\n$`, 'i'), framing)
    }
  assert.equal(handled, 0)
})
