import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { encodeFrame } from '#core/sse/frame.ts'
import { plainText } from '#schemas/api/common.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { openEventStream } from '../stream/event-stream.ts'
import { buildServer } from '../testing/build-server.ts'
import { checkedResponses } from './validate-response.ts'

const Line = Type.Object({ text: Type.String() }, { additionalProperties: false })
const of = { method: 'GET', summary: 'x', authz: { kind: 'bearer' }, stream: true } as const
const recording = (pieces: readonly string[]) =>
  endpoint({
    ...of,
    url: '/recording',
    response: { 200: Line },
    handle: async ({ reply }) => {
      reply.header('content-type', 'application/json')
      return Readable.from(pieces, { objectMode: false })
    },
  })
const log = endpoint({
  ...of,
  url: '/log',
  response: { 200: plainText },
  handle: async () => Readable.from(['{"text":1}'], { objectMode: false }),
})
const events = endpoint({
  ...of,
  url: '/events',
  docs: { events: Line },
  response: { 200: plainText },
  handle: async (call) => {
    const stream = openEventStream(call)
    await stream.send(encodeFrame({ event: 'said', data: '{"text":\n"a"}' }))
    await stream.send(encodeFrame({ data: '{"type":"OTHER_PROTOCOL"}' }).toString())
    await stream.send(encodeFrame({ data: 'no JSON' }))
    stream.end()
  },
})

/** Serves the endpoints; `published` collects the values of checked responses. */
async function serve(t: TestContext, pieces: readonly string[]) {
  const published: unknown[] = []
  const urls = new Set<string>()
  const note = (response: unknown): void => {
    const { endpoint: noted, value } = response as { endpoint: { url: string }; value: unknown }
    published.push(value)
    urls.add(noted.url)
  }
  checkedResponses.subscribe(note)
  t.after(() => checkedResponses.unsubscribe(note))
  const { app } = await buildServer(t, [{ endpoints: [recording(pieces), log, events] }])
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${origin}/api${path}`, { headers: { authorization: 'Bearer good-token' } })
    return response.text()
  }
  return { published, urls, read }
}

test('R2-M4: a streamed JSON document is checked at its end, and text is not', async (t) => {
  const { published, urls, read } = await serve(t, ['{"te', 'xt":"a"}'])
  assert.equal(await read('/recording'), '{"text":"a"}')
  assert.equal(await read('/log'), '{"text":1}')
  assert.deepEqual([...urls], ['/api/recording'], 'the path of the OpenAPI document')
  assert.deepEqual(published, [{ text: 'a' }])
})

test('R2-M4: a streamed JSON document that differs from its schema is cut', async (t) => {
  const { published, read } = await serve(t, ['{"text":"a",', '"more":1}'])
  await assert.rejects(read('/recording'))
  assert.deepEqual(published, [])
})

test('R2-M4: events of a stream are noted if they agree with the declared schema', async (t) => {
  const { published, read } = await serve(t, [])
  const body = await read('/events')
  assert.equal(body.match(/^data: /gm)?.length, 4)
  assert.deepEqual(published, [{ text: 'a' }])
})

test('R2-M4: a response without a status of its own is noted with the one that the endpoint declares', async (t) => {
  const statuses: unknown[] = []
  const note = (response: unknown): void => void statuses.push((response as { status: unknown }).status)
  checkedResponses.subscribe(note)
  t.after(() => checkedResponses.unsubscribe(note))
  const accepted = endpoint({
    ...of,
    stream: false,
    url: '/accepted',
    response: { 202: Line },
    handle: async () => ({ text: 'a' }),
  })
  const { app } = await buildServer(t, [{ endpoints: [accepted] }])
  const response = await app.inject({ url: '/api/accepted', headers: { authorization: 'Bearer good-token' } })
  assert.deepEqual([response.statusCode, statuses], [202, [202]])
})
