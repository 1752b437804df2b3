import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { REJECTED, recordingCaller } from '../testing/build-server.ts'
import { free, good, route, start } from '../testing/hardened.ts'
import { sendRaw } from '../testing/raw-request.ts'
import { openEventStream } from '../stream/event-stream.ts'

const other = { authorization: 'Bearer other-token' }
const json = { 'content-type': 'application/json' }
const echo = route({ method: 'POST', url: '/echo', body: free, handle: async ({ body }) => ({ body }) })
const reviewed = route({
  method: 'POST',
  url: '/reviewed',
  body: free,
  authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'body', field: 'namespace' } },
})

/** A route whose requests stay in progress until the test releases them. */
function held(more: Parameters<typeof route>[0]) {
  const leave = Promise.withResolvers<void>()
  const entered = new EventEmitter()
  let count = 0
  const slow = route({
    ...more,
    handle: async () => {
      entered.emit(String(++count))
      await leave.promise
      return {}
    },
  })
  return { slow, leave: leave.resolve, reached: (expected: number) => once(entered, String(expected)) }
}

async function serve(t: TestContext, endpoints: Parameters<typeof start>[1], limits: Partial<RequestLimits> = {}) {
  const server = await start(t, endpoints, { limits, streams: { total: 100, perUser: 2 } })
  const ask = async (url: string, headers: object, payload?: string) => {
    const answer = await server.app.inject({
      method: payload === undefined ? 'GET' : 'POST',
      url: `/api${url}`,
      headers: { ...headers, ...(payload === undefined ? {} : json) },
      ...(payload === undefined ? {} : { payload }),
    })
    const { code, detail } = answer.json<{ code?: string; detail?: string }>()
    return { status: answer.statusCode, code, detail, retryAfter: answer.headers['retry-after'] }
  }
  const refusals = async (): Promise<string> => {
    const text = await server.services.metrics.render()
    return text.split('\n').find((line) => line.startsWith('mesh_http_requests_refused_total')) ?? ''
  }
  return { ...server, ask, refusals, port: Number(new URL(server.url).port) }
}

const unfinished = (path: string, bearer: string): string =>
  `POST ${path} HTTP/1.1\nHost: x\nAuthorization: Bearer ${bearer}\nContent-Type: application/json\nContent-Length: 1000`

test('SEC4, F3: a rejected bearer is answered before its body, whatever decides about the route', async (t) => {
  const { port, upstream } = await serve(t, [echo, reviewed])
  for (const path of ['/api/echo', '/api/reviewed', '/api/nothing']) {
    upstream.length = 0
    const request = sendRaw(port, unfinished(path, REJECTED), '{')
    assert.equal(await request.status, 401, path)
    assert.deepEqual(upstream, ['as'])
    request.socket.destroy()
  }
})

test('SEC4, F3: a thousand unfinished bodies of an unknown bearer occupy no slot', async (t) => {
  const { port, ask } = await serve(t, [echo], { underWay: 10 })
  const requests = Array.from({ length: 1_000 }, () => sendRaw(port, unfinished('/api/echo', REJECTED), '{'))
  const statuses = await Promise.all(requests.map((request) => request.status))
  assert.deepEqual([...new Set(statuses)], [401])
  // While they are open.
  assert.equal((await ask('/echo', good, '{}')).status, 200)
  for (const request of requests) request.socket.destroy()
})

test('F3: a body that does not arrive is answered 408 and its connection closed', async (t) => {
  const { port, refusals } = await serve(t, [echo], { bodySeconds: 1 })
  const request = sendRaw(port, unfinished('/api/echo', 'good-token'), '{')
  assert.equal(await request.status, 408)
  await request.closed
  assert.match(request.text(), /connection: close[\s\S]*"code":"request_timeout"/i)
  assert.match(request.text(), /limits\.bodySeconds: 1 /)
  assert.match(await refusals(), /limit="bodySeconds".* 1$/)
})

test('F3: the connection of a body answered unread is closed too', async (t) => {
  const { port } = await serve(t, [echo], { bodySeconds: 1 })
  const request = sendRaw(port, unfinished('/api/echo', REJECTED), '{')
  assert.equal(await request.status, 401)
  await request.closed
})

test('F3: a body that arrives slowly but steadily is read completely', async (t) => {
  const { port } = await serve(t, [echo], { bodySeconds: 1 })
  const padding = ' '.repeat(512 * 1024)
  const request = sendRaw(
    port,
    unfinished('/api/echo', 'good-token').replace('1000', String(2 + padding.length)),
    padding,
  )
  // Past the first second, so the received bytes have extended the deadline by two more.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  request.socket.write('{}')
  assert.equal(await request.status, 200)
  request.socket.destroy()
})

test('F4: one user has at most a share of the slots; the response names the limit', async (t) => {
  const { slow, leave, reached } = held({ url: '/slow' })
  const { app, ask, refusals } = await serve(t, [slow, echo], { underWay: 10, underWayPerCaller: 3 })
  const full = reached(3)
  const mine = Array.from({ length: 3 }, () => app.inject({ url: '/api/slow', headers: good }))
  await full
  const refused = await ask('/echo', good, '{}')
  assert.deepEqual(refused, {
    status: 429,
    code: 'too_many_requests',
    detail: 'limits.underWayPerCaller: 3 requests of one user are in progress.',
    retryAfter: '1',
  })
  assert.equal((await ask('/echo', other, '{}')).status, 200)
  assert.match(await refusals(), /limit="underWayPerCaller".* 1$/)
  leave()
  await Promise.all(mine)
  assert.equal((await ask('/echo', good, '{}')).status, 200)
})

test('F4: without a setting the share is a tenth, and at least 32', async (t) => {
  const { slow, leave, reached } = held({ url: '/slow' })
  const { app, ask } = await serve(t, [slow], { underWay: 100 })
  const full = reached(32)
  const mine = Array.from({ length: 32 }, () => app.inject({ url: '/api/slow', headers: good }))
  await full
  assert.match(String((await ask('/slow', good)).detail), /underWayPerCaller: 32 /)
  leave()
  await Promise.all(mine)
})

test('SEC5, F4: requests that wait for a run are counted apart from the others', async (t) => {
  const { slow, leave, reached } = held({ url: '/wait', waits: true })
  const { app, ask } = await serve(t, [slow, echo], { underWayPerCaller: 1, waitsPerCaller: 2 })
  const full = reached(2)
  const mine = Array.from({ length: 2 }, () => app.inject({ url: '/api/wait', headers: good }))
  await full
  const third = await ask('/wait', good)
  assert.deepEqual([third.status, third.detail], [429, 'limits.waitsPerCaller: 2 requests of one user wait for a run.'])
  assert.equal((await ask('/echo', good, '{}')).status, 200)
  leave()
  await Promise.all(mine)
})

test('SEC5, F4: an open event stream occupies no slot; one too many is a 429 that names the limit', async (t) => {
  const stream = route({ url: '/stream', stream: true, handle: async (call) => void openEventStream(call) })
  const { ask, url, refusals } = await serve(t, [stream, echo], { underWayPerCaller: 1 })
  const open = [
    await fetch(`${url}/api/stream`, { headers: good }),
    await fetch(`${url}/api/stream`, { headers: good }),
  ]
  assert.equal((await ask('/echo', good, '{}')).status, 200)
  const third = await ask('/stream', good)
  assert.deepEqual([third.status, third.detail], [429, 'limits.streamsPerUser: 2 event streams of one user are open.'])
  assert.match(await refusals(), /limit="streamsPerUser".* 1$/)
  await Promise.all(open.map((answer) => answer.body?.cancel()))
})

test('F3, F4: bytes of bodies under way are bounded for a user and for the server', async (t) => {
  const { slow, leave, reached } = held({ method: 'POST', url: '/slow', body: free })
  const limits = { bodyBytes: 1_500, bodyBytesPerCaller: 1_000 }
  const { app, ask, port } = await serve(t, [slow, echo], limits)
  const payload = JSON.stringify({ a: 'x'.repeat(592) })
  const full = reached(1)
  const mine = app.inject({ method: 'POST', url: '/api/slow', headers: { ...good, ...json }, payload })
  await full
  const [again, theirs, small] = [
    await ask('/echo', good, payload),
    await ask('/echo', other, JSON.stringify({ a: 'x'.repeat(950) })),
    await ask('/echo', other, payload),
  ]
  assert.deepEqual(
    [again.status, again.detail],
    [429, 'limits.bodyBytesPerCaller: 1000 bytes of request bodies of one user are in progress.'],
  )
  assert.deepEqual(
    [theirs.status, theirs.code, theirs.detail],
    [503, 'overloaded', 'limits.bodyBytes: 1500 bytes of request bodies are in progress.'],
  )
  assert.equal(small.status, 200)
  // A body without a declared length is counted as it arrives.
  const head = unfinished('/api/echo', 'good-token').replace('Content-Length: 1000', 'Transfer-Encoding: chunked')
  const chunked = sendRaw(port, head, `258\r\n${'x'.repeat(600)}\r\n`)
  assert.equal(await chunked.status, 429)
  chunked.socket.destroy()
  leave()
  await mine
  assert.equal((await ask('/echo', good, payload)).status, 200)
})

test('SEC28: users are counted by name, whatever their address; strangers by address', async (t) => {
  const { ask, upstream } = await serve(t, [echo], { perCallerPerMinute: 2, perAddressPerMinute: 2 })
  const statusOf = async (headers: object): Promise<number> => (await ask('/echo', headers, '{}')).status
  const unknown = { authorization: `Bearer ${REJECTED}` }
  assert.deepEqual([await statusOf(good), await statusOf(good), await statusOf(good)], [200, 200, 429])
  assert.deepEqual([await statusOf(unknown), await statusOf(unknown)], [401, 401])
  const third = await ask('/echo', unknown, '{}')
  assert.match(String(third.detail), /^limits\.perAddressPerMinute: 2 /)
  upstream.length = 0
  assert.equal(await statusOf(unknown), 429)
  assert.deepEqual(upstream, [], 'an address above its limit causes no more calls')
})

test('R2-CL-11: an address whose bearers were rejected waits; a bearer that was accepted lately does not', async (t) => {
  const known = new Set(['expired-token'])
  const asked: string[] = []
  const cluster = {
    as: async (bearer: string) => {
      if (bearer !== 'expired-token') asked.push(bearer)
      if (!bearer.startsWith('good')) throw new Fail('unauthenticated')
      known.add(bearer)
      return recordingCaller(bearer, [])
    },
  }
  const limits = { rejectedPerAddressPerMinute: 3 }
  const { app, services } = await start(t, [echo], {
    limits,
    cluster,
    knows: (bearer: string) => known.has(bearer),
    trustProxy: ['127.0.0.0/8'],
  })
  const ask = async (bearer: string, address = '10.0.0.1') => {
    const headers = { authorization: `Bearer ${bearer}`, 'x-forwarded-for': address, ...json }
    return (await app.inject({ method: 'POST', url: '/api/echo', headers, payload: '{}' })).statusCode
  }
  assert.equal(await ask('good-1'), 200)
  // Rejected without a request to the cluster: these do not count.
  for (let turn = 0; turn < 10; turn++) assert.equal(await ask('expired-token'), 401)
  const statuses = []
  for (let turn = 0; turn < 20; turn++) statuses.push(await ask(`bad-${turn}`))
  assert.deepEqual(statuses, [401, 401, 401, ...Array.from({ length: 17 }, () => 429)])
  assert.deepEqual(asked, ['good-1', 'bad-0', 'bad-1', 'bad-2', 'bad-3'], 'the cluster is asked no more')
  assert.deepEqual([await ask('good-1'), await ask('good-2'), await ask('good-2', '10.0.0.2')], [200, 429, 200])
  const refused = /mesh_http_requests_refused_total\{limit="rejectedPerAddressPerMinute"[^}]*\} 18/
  assert.match(await services.metrics.render(), refused)
})

test('SEC28: X-Forwarded-For names the client only where a trusted proxy says so', async (t) => {
  const limits = { perAddressPerMinute: 1 }
  const run = async (trustProxy: readonly string[]): Promise<readonly number[]> => {
    const { app } = await start(t, [echo], { limits, trustProxy })
    const from = async (address: string): Promise<number> => {
      const headers = { authorization: `Bearer ${REJECTED}`, 'x-forwarded-for': address }
      return (await app.inject({ url: '/api/echo', headers })).statusCode
    }
    return [await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.1')]
  }
  assert.deepEqual(await run(['127.0.0.0/8']), [401, 401, 429])
  assert.deepEqual(await run(['10.0.0.0/8']), [401, 429, 429])
  assert.deepEqual(await run([]), [401, 429, 429])
})

test('F3: an unfinished head is answered 408 and ends', { timeout: 40_000 }, async (t) => {
  const { port } = await serve(t, [echo])
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write('GET /api/echo HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  let text = ''
  socket.on('data', (chunk: string) => (text += chunk))
  const started = performance.now()
  await once(socket, 'close')
  assert.match(text, /^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/)
  assert.ok(performance.now() - started < 20_000)
})
