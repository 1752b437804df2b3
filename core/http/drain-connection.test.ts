import assert from 'node:assert/strict'
import test from 'node:test'
import { exchangeRaw } from '#test/listeners/raw-exchange.ts'
import { serverReplyOf } from './endpoint/reply.ts'
import { route, start } from './testing/hardened.ts'

test('PODA9, X6: a draining server ends connections with every answer, also of handlers that write the head themselves', async (t) => {
  const entered = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const raw = route({
    url: '/raw',
    handle: async (call) => {
      const reply = serverReplyOf(call)
      entered.resolve()
      await leave.promise
      reply.hijack()
      reply.raw.writeHead(200, { 'content-length': 2 })
      reply.raw.end('{}')
    },
  })
  const { url, services } = await start(t, [raw, route({})])
  const send = (path: string) =>
    exchangeRaw(
      { port: Number(new URL(url).port) },
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-token\r\n\r\n`,
      10_000,
    )
  assert.match((await send('/api/things')).text, /\r\nconnection: keep-alive\r\n/i)
  const underWay = send('/api/raw')
  await entered.promise
  services.streams.drain()
  leave.resolve()
  assert.match((await underWay).text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nconnection: close\r\n/i)
  for (const path of ['/api/raw', '/api/things', '/api/nothing', '/%zz'])
    assert.match((await send(path)).text, /\r\nconnection: close\r\n/i, path)
})
