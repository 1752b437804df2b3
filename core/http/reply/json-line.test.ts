import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import { openApiRoutes } from '../openapi/routes.ts'
import { buildServer } from '../testing/build-server.ts'
import { sendRaw } from '../testing/raw-request.ts'
import { joinList } from './raw-list.ts'

const bearer = 'Authorization: Bearer good-token'

const get = (url: string, handle: () => Promise<unknown>) =>
  endpoint({
    method: 'GET',
    url,
    summary: 'x',
    authz: { kind: 'bearer' },
    response: { 200: Type.Unknown() },
    handle,
  })

const endpoints = [
  get('/object', async () => ({ text: 'caf\u00e9' })),
  get('/list', async () => joinList([Buffer.from('{"a":1}'), Buffer.from(',{"a":2}')], null)),
  get('/text', async () => 'a text'),
  get('/fails', async () => Promise.reject(new Error('boom'))),
]

/** Head and body of a response on a real connection, closed by the server. */
async function exchange(port: number, line: string, ...headers: readonly string[]) {
  const sent = sendRaw(port, [line, 'Host: 127.0.0.1', 'Connection: close', ...headers].join('\n'))
  await sent.closed
  const text = sent.text()
  const at = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text.slice(0, at))?.[1]
  return { status: Number(text.split(' ')[1]), length: Number(length), body: text.slice(at + 4) }
}

test('R2-UX-21: every JSON response ends with a newline, and its length counts it', async (t) => {
  const pages = openApiRoutes({ catalog: [], version: '0', summaries: new Map(), errorCodes: [] })
  const { app } = await buildServer(t, [{ endpoints, pages }])
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const cases: readonly (readonly [number, string, ...string[]])[] = [
    [200, 'GET /api/object HTTP/1.1', bearer],
    [200, 'GET /api/list HTTP/1.1', bearer],
    [200, 'GET /api/text HTTP/1.1', bearer],
    [200, 'GET /api/openapi.json HTTP/1.1'],
    [401, 'GET /api/object HTTP/1.1'],
    [404, 'GET /api/none HTTP/1.1', bearer],
    [404, 'GET /none HTTP/1.1'],
    [405, 'PUT /api/object HTTP/1.1', bearer],
    [400, 'GET /api/object?a=b HTTP/1.1', bearer],
    [400, 'GET /api/%zz HTTP/1.1', bearer],
    [500, 'GET /api/fails HTTP/1.1', bearer],
    [400, 'GET /api/object HTTP/9.1', bearer],
    [431, 'GET /api/object HTTP/1.1', `X: ${'x'.repeat(70_000)}`],
  ]
  for (const [status, line, ...headers] of cases) {
    const answer = await exchange(port, line, ...headers)
    assert.equal(answer.status, status, line)
    assert.match(answer.body, /[^\n]\n$/, line)
    assert.equal(answer.length, Buffer.byteLength(answer.body), line)
    assert.doesNotThrow(() => JSON.parse(answer.body), line)
    if (!line.startsWith('GET') || status !== 200) continue
    const head = await exchange(port, line.replace('GET', 'HEAD'), ...headers)
    assert.deepEqual([head.length, head.body], [answer.length, ''], `HEAD ${line}`)
  }
})
