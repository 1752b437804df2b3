import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { encodeFrame } from '#core/sse/frame.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { openEventStream } from './event-stream.ts'
import type { EventStream, EventStreamOptions } from './event-stream.ts'
import { buildServer } from '../testing/build-server.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const fieldsOf = (version: string): string =>
  `GET /api/events HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer good-token\r\n\r\n`

/** Starts a server with one stream route; `opened` yields the streams in request order. */
async function start(t: TestContext, options: EventStreamOptions = {}) {
  const waiting: ((stream: EventStream) => void)[] = []
  const made: EventStream[] = []
  const events = endpoint({
    method: 'GET',
    url: '/events',
    summary: 'x',
    authz: { kind: 'bearer' },
    stream: true,
    response: { 200: Type.Object({}) },
    handle: async (call) => {
      const stream = openEventStream(call, options)
      const next = waiting.shift()
      if (next === undefined) made.push(stream)
      else next(stream)
    },
  })
  const { app } = await buildServer(t, [{ endpoints: [events] }], { streams: { total: 9, perUser: 9 } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const open = async (request: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    socket.write(request)
    return socket
  }
  const opened = async (): Promise<EventStream> =>
    made.shift() ?? new Promise<EventStream>((resolve) => waiting.push(resolve))
  return { url: `http://127.0.0.1:${port}`, open, opened }
}

test('X1: frames that go straight to the socket, heartbeats and the end never interleave', async (t) => {
  const { url, opened } = await start(t, { heartbeatMs: 1 })
  const answer = fetch(`${url}/api/events`, { headers: { authorization: 'Bearer good-token' } })
  const stream = await opened()
  const frames = Array.from({ length: 600 }, (_, id) =>
    encodeFrame({ id: String(id), data: 'x'.repeat((id * 37) % 9000) }),
  )
  for (const [id, frame] of frames.entries()) {
    await stream.send(id % 3 === 0 ? frame.toString() : frame)
    if (id % 5 === 0) await turn()
  }
  stream.end()
  assert.equal(stream.send('data: late\n\n'), undefined)
  // fetch parses chunks: a misplaced one would be an error, not text.
  const text = await (await answer).text()
  const beats = text.split('\n\n').filter((event) => event === ': ')
  assert.ok(beats.length > 0, 'no heartbeat in between')
  assert.equal(text.replaceAll(/^: \n\n/gm, ''), frames.join(''))
})

test('X1: a client that never reads is cut at 256 KiB, by shared frames too', async (t) => {
  const { open, opened } = await start(t)
  const lazy = await open(fieldsOf('1.1'))
  lazy.pause()
  const stream = await opened()
  const frame = encodeFrame({ data: 'x'.repeat(16_384) })
  let sent = 0
  for (; !stream.ended; sent++) {
    void stream.send(frame)
    await turn()
  }
  await stream.closed
  assert.ok(sent * frame.length > 256 * 1024)
})

test('X1: an HTTP/1.0 client gets frames without chunks', async (t) => {
  const { open, opened } = await start(t)
  const socket = await open(fieldsOf('1.0'))
  let text = ''
  socket.on('data', (data: Buffer) => (text += data.toString()))
  const stream = await opened()
  for (const id of ['1', '2']) await stream.send(encodeFrame({ id, data: 'hello' }))
  stream.end()
  await once(socket, 'close')
  const [head = '', body] = text.split(/\r\n\r\n(.*)/s)
  assert.doesNotMatch(head, /transfer-encoding/i)
  assert.equal(body, 'id: 1\ndata: hello\n\nid: 2\ndata: hello\n\n')
})

test('X1: a pipelined stream waits for the one before it, and a replay continues when the client reads', async (t) => {
  const { open, opened } = await start(t)
  const socket = await open(fieldsOf('1.1').repeat(2))
  const [first, second] = [await opened(), await opened()]
  const frame = encodeFrame({ data: 'x'.repeat(100_000) })
  const behind = second.send(frame)
  assert.ok(behind instanceof Promise)
  let size = 0
  socket.on('data', (data: Buffer) => (size += data.length))
  first.end()
  await behind
  await second.send(frame)
  second.end()
  while (size < 2 * frame.length) await once(socket, 'data')
})

test('SEC20: a stream whose handler fails is cut, and logged without the text of the error', async (t) => {
  const events = endpoint({
    method: 'GET',
    url: '/events',
    summary: 'x',
    authz: { kind: 'bearer' },
    stream: true,
    response: { 200: Type.Object({}) },
    handle: async (call) => {
      await openEventStream(call).send(encodeFrame({ data: 'first' }))
      throw new Error('password=secret')
    },
  })
  const { app, lines, services } = await buildServer(t, [{ endpoints: [events] }])
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`${url}/api/events`, { headers: { authorization: 'Bearer good-token' } })
  // An error and no end: the client must not take the beginning for the whole.
  await assert.rejects(answer.text(), { name: 'TypeError' })
  assert.equal(services.streams.size, 0)
  const [line, ...others] = lines.filter((one) => one.includes('response cut'))
  assert.equal((JSON.parse(line ?? '{}') as { code?: string }).code, 'internal_error')
  assert.deepEqual(others, [])
  assert.doesNotMatch(lines.join(''), /secret/)
  assert.match(await services.metrics.render(), /mesh_event_streams_dropped_total\{reason="failed"\} 1/)
})
