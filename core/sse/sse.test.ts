import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import * as fc from 'fast-check'
import { Agent } from 'undici'
import { collect, exchange } from '#core/http-client/request.ts'
import { encodeComment, encodeFrame } from './frame.ts'
import { createSseParser } from './parser.ts'
import type { ParsedEvent } from './parser.ts'

const runs = Number(process.env.MESH_PROPERTY_RUNS ?? 300)

function parse(chunks: readonly Buffer[]): ParsedEvent[] {
  const events: ParsedEvent[] = []
  const parser = createSseParser((event) => events.push(event))
  for (const chunk of chunks) parser.push(chunk)
  return events
}

function cut(whole: Buffer, points: readonly number[]): Buffer[] {
  const at = [...new Set(points.map((point) => point % (whole.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.length))
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\r', ''))
const name = fc.stringMatching(/^[a-z.]{1,12}$/)

test('sse: what is framed is parsed again, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ event: name, data: text, id: name }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(2000), { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      (frames, points, lineEnd) => {
        const bytes = Buffer.from(
          frames.map((frame) => encodeFrame(frame).toString('utf8').replaceAll('\n', lineEnd)).join(''),
        )
        assert.deepEqual(
          parse(cut(bytes, points)).map(({ event, data, id }) => ({ event, data, id })),
          frames.map(({ event, data, id }) => ({ event, data: Buffer.from(data).toString('utf8'), id })),
        )
      },
    ),
    { numRuns: runs },
  )
})

test('sse: comments, unknown fields, a byte order mark and an unfinished event are no events', () => {
  const bytes = Buffer.concat([
    Buffer.from('\uFEFFdata: a\n'),
    Buffer.from('data:b\n\n'),
    encodeComment('still here\ndata: forged'),
    Buffer.from('what: ever\nretry: 12\n\ndata\n\ndata: cut'),
  ])
  assert.deepEqual(
    parse([bytes]).map(({ data }) => data),
    ['a\nb', ''],
  )
})

test('sse: a line break in an id or an event name forges no field', () => {
  const [event] = parse([encodeFrame({ event: 'a\ndata: x', id: '1\nevent: b', data: 'real' })])
  assert.deepEqual(event, { event: 'a data: x', id: '1 event: b', data: 'real' })
})

test('sse: an event above the limit is refused, in one chunk or many', () => {
  const parser = createSseParser(() => undefined, { maxEventBytes: 100 })
  parser.push(Buffer.from(`data: ${'x'.repeat(60)}\n`))
  assert.throws(() => parser.push(Buffer.from(`data: ${'x'.repeat(60)}\n`)), /above 100 bytes/)
})

test('exchange: streams, pauses on a promise, aborts, follows no redirect, bounds what it collects', async (t) => {
  let closed = 0
  const server = createServer((request, response) => {
    if (request.url === '/redirect') return response.writeHead(302, { location: '/' }).end('moved')
    if (request.url === '/hang') {
      response.writeHead(200).write('first')
      response.on('close', () => server.emit('cut', ++closed))
      return undefined
    }
    response.writeHead(200).write('a')
    return response.end('b'.repeat(1000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dispatcher = new Agent()
  t.after(async () => {
    await dispatcher.destroy()
    server.close()
  })
  const base = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    method: 'GET' as const,
    headers: {},
  }

  let size = 0
  const pauses: Promise<void>[] = []
  await exchange(dispatcher, {
    ...base,
    path: '/',
    onHead: (status) => assert.equal(status, 200),
    onData: (chunk) => {
      size += chunk.length
      const pause = new Promise<void>((resolve) => setImmediate(resolve))
      pauses.push(pause)
      return pause
    },
  })
  assert.equal(size, 1001)
  assert.equal((await collect(dispatcher, { ...base, path: '/redirect' })).status, 302)
  await assert.rejects(collect(dispatcher, { ...base, path: '/', maxBytes: 100 }), /above 100 bytes/)

  const stop = new AbortController()
  const cutByUs = once(server, 'cut')
  const hanging = exchange(dispatcher, {
    ...base,
    path: '/hang',
    signal: stop.signal,
    onHead: () => undefined,
    onData: () => stop.abort(new Error('enough')),
  })
  await assert.rejects(hanging, /enough/)
  await cutByUs
  await assert.rejects(collect(dispatcher, { ...base, path: '/', signal: stop.signal }), /enough/)
})
