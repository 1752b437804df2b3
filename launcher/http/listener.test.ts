import assert from 'node:assert/strict'
import test from 'node:test'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { corpusOf } from '#test/listeners/corpus.ts'
import { exchangeRaw, statusOf } from '#test/listeners/raw-exchange.ts'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { createLog } from '../telemetry/log.ts'
import { until } from '../testdata/launch.ts'
import { listen } from './listener.ts'
import { definePort } from '../contract/http/port.ts'
import type { PortContract } from '../contract/http/port.ts'
import { count, object, enumOf, optionalField, string } from '#schemas/wire/schema.ts'

const limit = 64 * 1024
const routes = {
  greet: {
    method: 'POST',
    path: '/greet/:name',
    summary: 'Greets.',
    body: object({
      times: optionalField(count),
      tone: optionalField(enumOf('warm', 'cold')),
      at: optionalField(string()),
    }),
    responses: { 200: object({ greeting: string() }) },
  },
  size: {
    method: 'POST',
    path: '/size',
    summary: 'Counts bytes.',
    body: 'bytes',
    responses: { 200: object({ bytes: count }) },
  },
  chunks: {
    method: 'POST',
    path: '/chunks',
    summary: 'Counts bytes as they arrive.',
    body: 'stream',
    responses: { 200: object({ bytes: count }) },
  },
} as const

/** A listener of a port with each form of body, and what it logged as an error. */
async function start(t: TestContext, options: Pick<PortContract, 'protocol' | 'mediaTypes'> = {}) {
  const errors: unknown[] = []
  const left: string[] = []
  const log = { ...createLog('error'), error: (fields: object) => void errors.push(fields) }
  const port = definePort({ name: 'memory', bodyLimit: limit, routes, ...options })
  const served = port.serve({
    greet: async ({ params, body }) => {
      const { times = 1, tone = 'warm' } = await body()
      return { status: 200, body: { greeting: `${tone} ${params.name}`.repeat(Math.min(times, 3)) } }
    },
    size: async ({ body }) => ({ status: 200, body: { bytes: (await body()).length } }),
    chunks: async ({ body }) => {
      let bytes = 0
      try {
        for await (const chunk of await body()) bytes += chunk.length
      } catch (error) {
        left.push(String(error))
        throw error
      }
      return { status: 200, body: { bytes } }
    },
  })
  const listener = await listen(served, { address: '127.0.0.1', number: 0, log })
  t.after(listener.close)
  return { ...listener, errors, left, url: `http://127.0.0.1:${listener.port}` }
}

const mediaTypes = ['application/json', 'application/x-protobuf']

test('listener: bodies are JSON of a schema, bytes, or a stream, in the media types of the port', async (t) => {
  const { url, errors } = await start(t, { mediaTypes })
  const send = async (path: string, body: string | Buffer, type: string) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body })
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const
  }
  const asJson = 'application/json'
  assert.deepEqual(await send('/greet/ann', '{"times":2}', asJson), [200, { greeting: 'warm annwarm ann' }])
  const bytes = Buffer.alloc(limit, 0xff)
  assert.deepEqual(await send('/size', bytes, 'application/x-protobuf'), [200, { bytes: limit }])
  assert.deepEqual(await send('/chunks', bytes, 'application/x-protobuf; a=b'), [200, { bytes: limit }])
  const refusedBodies: [string, RegExp][] = [
    ['{"times":-1}', /^times: must be a count/],
    ['{"times":1e400}', /^times: must be a count/],
    ['{"tone":"loud"}', /^tone: must be warm or cold/],
    ['{"at":3}', /^at: must be a string/],
    ['{"more":1}', /^more: unknown field/],
    ['{"constructor":1}', /^constructor: unknown field/],
    ['[]', /^the body must be a JSON object/],
    ['', /^the body must be a JSON object/],
    ['{"__proto__":{"times":1}}', /key __proto__/],
  ]
  for (const [body, message] of refusedBodies) {
    const [status, answer] = await send('/greet/ann', body, asJson)
    assert.deepEqual([status, answer.error], [400, 'malformed_request'], body)
    assert.match(String(answer.message), message)
  }
  assert.equal((await send('/size', 'x', 'text/plain'))[0], 415)
  assert.deepEqual(errors, [])
})

test('listener: a stream above the limit of the port is 413 however it is framed', async (t) => {
  const { url } = await start(t, { mediaTypes })
  const large = Buffer.alloc(limit + 1)
  const headers = { 'content-type': 'application/x-protobuf' }
  for (const path of ['/size', '/chunks']) {
    assert.equal((await fetch(`${url}${path}`, { method: 'POST', headers, body: large })).status, 413)
    const chunked = new Blob([large]).stream()
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: chunked, duplex: 'half' })
    assert.equal(answer.status, 413, path)
  }
})

test('R2-M14: a client that writes 64 MiB before it reads gets a 413 of a port', async (t) => {
  const { port, errors } = await start(t, { mediaTypes })
  for (const path of ['/greet/ann', '/size', '/chunks'])
    for (const framing of ['length', 'chunked'] as const) {
      const head = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Content-Type: application/json']
      const { text: received, error } = await sendLargeBody({ port, head, framing, mebibytes: 64 })
      assert.deepEqual([error, received.slice(0, 13)], [undefined, 'HTTP/1.1 413 '], `${path} ${framing}`)
      assert.match(received, /connection: close\r\n[\s\S]*"error":"payload_too_large"/i)
    }
  assert.deepEqual(errors, [])
})

test('R2-UX-21: responses and refusals of a port end with a newline', async (t) => {
  const { url } = await start(t, { mediaTypes })
  const headers = { 'content-type': 'application/json' }
  for (const [path, body] of [
    ['/greet/ann', '{}'],
    ['/greet/ann', '{'],
    ['/none', '{}'],
  ] as const) {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    const received = await answer.text()
    assert.match(received, /\}\n$/, path)
    assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(received)))
  }
})

test('R2-UX-21: the refusal of a broken request to a port ends with a newline', async (t) => {
  const { port } = await start(t, { mediaTypes })
  for (const request of ['broken\r\n\r\n', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`]) {
    const { text: received } = await exchangeRaw({ port }, request, 10_000)
    const [fields = '', body = ''] = received.split('\r\n\r\n')
    assert.match(body, /^\{"error":"\w+","message":"[^"]+"\}\n$/)
    assert.match(fields, new RegExp(`content-length: ${body.length}\r\n`))
  }
})

test('listener: no hostile request ends the process, is an internal error, or stays unanswered', async (t) => {
  const { port, errors } = await start(t, { mediaTypes })
  const doors = ['/greet/ann', '/size', '/chunks'].map((path) => ({ method: 'POST', path, headers: [] }))
  const ordinary = `GET /none HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
  const wrong: string[] = []
  for (const { name, bytes, unfinished = false } of corpusOf(`127.0.0.1:${port}`, doors)) {
    const answer = await exchangeRaw({ port }, bytes, unfinished ? 5 : 10_000)
    if (answer.end === 'silent' && !unfinished) wrong.push(`${name}: silent`)
    if (statusOf(answer) === 500) wrong.push(`${name}: 500`)
  }
  assert.deepEqual(wrong, [])
  assert.equal(statusOf(await exchangeRaw({ port }, ordinary, 10_000)), 404)
  assert.deepEqual(errors, [])
})

function client(t: TestContext, port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => undefined)
  t.after(() => session.destroy())
  return session
}

async function answerOf(stream: ClientHttp2Stream): Promise<readonly [number, Record<string, unknown>]> {
  const [head] = (await once(stream, 'response')) as [{ readonly ':status'?: number }]
  return [head[':status'] ?? 0, (await json(stream)) as Record<string, unknown>]
}

test('listener: a port of HTTP/2 has the same routes, guard and limits', async (t) => {
  const { port, errors, left, drain } = await start(t, { protocol: 'h2', mediaTypes })
  const session = client(t, port)
  const post = (path: string, body: Buffer, more: OutgoingHttpHeaders = {}) => {
    const type = { 'content-type': 'application/x-protobuf' }
    const stream = session.request({ ':method': 'POST', ':path': path, ...type, ...more })
    stream.on('error', () => undefined)
    stream.end(body)
    return answerOf(stream)
  }
  const some = Buffer.alloc(1000)
  assert.deepEqual(await post('/size', some), [200, { bytes: 1000 }])
  assert.deepEqual(await post('/chunks', some), [200, { bytes: 1000 }])
  const cases: [number, Promise<readonly [number, unknown]>][] = [
    [404, post('/none', some)],
    [405, answerOf(session.request({ ':path': '/size' }))],
    [421, post('/size', some, { ':authority': 'evil.example' })],
    [400, post('/size', some, { ':authority': `127.0.0.1:${port}`, host: `127.0.0.1:${port}` })],
    [403, post('/size', some, { origin: 'null' })],
    [415, post('/size', some, { 'content-type': 'text/plain' })],
    [413, post('/size', Buffer.alloc(limit + 1))],
    [413, post('/chunks', Buffer.alloc(limit + 1))],
    [431, post('/size', some, Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`x-${n}`, '1'])))],
    [400, post('/greet/%00', Buffer.from('{"at":"\\u0000","times":"\\ud800"}'))],
  ]
  for (const [status, answer] of cases) assert.equal((await answer)[0], status)
  const cut = session.request({ ':method': 'POST', ':path': '/chunks', 'content-type': 'application/json' })
  cut.on('error', () => undefined)
  cut.write('{"a')
  cut.close(8)
  for (const bytes of [
    'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    '\x00\x01\x02\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff',
  ])
    await exchangeRaw({ port }, bytes, 20)
  assert.deepEqual(await post('/size', some), [200, { bytes: 1000 }], 'afterwards')
  drain()
  await until(() => session.closed, 'a draining listener closes its sessions')
  assert.deepEqual([errors, left.filter((one) => !one.includes('aborted'))], [[], ['Refusal: The body is too large.']])
})
