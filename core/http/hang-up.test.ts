import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { Type } from 'typebox'
import { route, start } from './testing/hardened.ts'

test('SEC22: a client that disconnects in the middle of its body is no error of the server', async (t) => {
  const echo = route({ method: 'POST', url: '/echo', body: Type.Object({}), handle: async () => ({}) })
  const { url, lines, services, outcomes } = await start(t, [echo])
  const logged = Promise.withResolvers<void>()
  const debug = services.log.debug
  services.log.debug = (fields, message) => {
    debug(fields, message)
    if (message === 'request') logged.resolve()
  }
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const head = 'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-token\r\n'
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`)
  // `100 Continue` shows that the request has begun.
  await once(socket, 'data')
  socket.write('{"a"')
  socket.destroy()
  await logged.promise
  assert.ok(!lines.some((line) => line.includes('failed unexpectedly')), lines.join(''))
  const access = lines.map((line) => JSON.parse(line) as { msg: string; status: number; level: string })
  assert.deepEqual(
    access.filter(({ msg }) => msg === 'request').map(({ status }) => status),
    [499],
  )
  assert.ok(access.every(({ level }) => level === 'debug' || level === 'info'))
  assert.deepEqual(outcomes, [], 'an incomplete request is not audited')
})
