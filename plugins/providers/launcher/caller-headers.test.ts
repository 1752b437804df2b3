import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import test from 'node:test'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'

test('B7: headers of an agent that a route may pass on reach the gateway, and no others', async (t) => {
  const { port, gateway } = await startProxied(t)
  const send = async (headers: OutgoingHttpHeaders): Promise<number | undefined> => {
    const given = { 'content-type': 'application/json', ...headers }
    const request = httpRequest({ port, method: 'POST', path: '/v1/chat/completions', headers: given })
    request.end(JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'hello' }] }))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  const withheld = {
    authorization: 'Bearer evil',
    cookie: 'c=1',
    via: '1.1 evil',
    'x-api-key': 'evil',
    'x-mesh-hold': 'evil',
    'x-mesh-namespace': 'evil',
    'x-forwarded-for': 'evil',
    'x-stainless-timeout': '1',
    'x-hop': 'evil',
    connection: 'close, X-Hop',
  }
  assert.equal(await send({ ...withheld, 'X-Tag': 'team a', 'x-twice': ['a', 'b'] }), 200)
  const { headers = {} } = gateway.requests.at(-1) ?? {}
  // The gateway refuses a header that is given twice, if the route names it.
  assert.deepEqual([headers['x-tag'], headers['x-twice']], ['team a', 'a, b'])
  assert.ok(!JSON.stringify(headers).includes('evil'), JSON.stringify(headers))
  assert.deepEqual([headers.cookie, headers['x-stainless-timeout']], [undefined, undefined])
  assert.equal(headers.authorization, 'Bearer gateway-token')

  const calls = gateway.requests.length
  assert.equal(await send({ 'x-tag': 'x'.repeat(8 * 1024 - 4) }), 431)
  assert.equal(gateway.requests.length, calls)
  assert.equal(await send({ 'x-tag': 'x'.repeat(8 * 1024 - 5) }), 200)
})
