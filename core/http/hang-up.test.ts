import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { Type } from 'typebox'
import { serverReplyOf } from './endpoint/reply.ts'
import { openEventStream } from './stream/event-stream.ts'
import { good, route, start } from './testing/hardened.ts'

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

test('a request with a chunked body and a stream has fewer listeners than Node.js warns of', async (t) => {
  const counts: number[] = []
  const streamed = route({
    method: 'POST',
    url: '/streamed',
    body: Type.Object({}),
    stream: true,
    response: { 200: Type.String() },
    handle: async (call) => {
      assert.equal(call.signal.aborted, false)
      const stream = openEventStream(call)
      await stream.send('data: 1\n\n')
      counts.push(serverReplyOf(call).raw.listenerCount('close'))
      stream.end()
    },
  })
  const { url } = await start(t, [streamed])
  const headers = { ...good, 'content-type': 'application/json' }
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(Buffer.from('{}'))
      controller.close()
    },
  })
  const response = await fetch(`${url}/api/streamed`, { method: 'POST', headers, body, duplex: 'half' })
  assert.match(await response.text(), /data: 1/)
  assert.ok(counts[0] !== undefined && counts[0] <= 4, `${counts[0]}`)
})
