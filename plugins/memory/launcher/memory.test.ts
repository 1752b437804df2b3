import assert from 'node:assert/strict'
import test from 'node:test'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { freePort } from '#test/harness/free-port.ts'
import { answers, startMemoryServer } from '#launcher/testdata/memory-server.ts'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'

const both = { session: true, longTerm: true }

async function start(t: TestContext, bound: object | null = both, url?: string) {
  const state = await startMemoryServer(t)
  const launcher = await startProxied(t, {
    money: false,
    config: { plugins: bound === null ? {} : { memory: bound } },
    env: { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: url ?? state.url },
  })
  const port = launcher.open['memory']
  // Not `fetch`, which resolves dot segments of a path.
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = httpRequest({ port, method, path, headers: { ...type, ...headers }, agent: false })
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    request.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
    const [response] = await answered
    const parsed = JSON.parse(await text(response)) as Record<string, unknown>
    return { status: response.statusCode, type: response.headers['content-type'], body: parsed }
  }
  const codeOf = async (...args: Parameters<typeof ask>) => {
    const { status, body } = await ask(...args)
    assert.deepEqual(Object.keys(body), ['error', 'message'])
    return [status, body['error']]
  }
  return { ...launcher, state, port, ask, codeOf }
}

test('H5: 2998 is closed without a binding, and without the address of the backend', async (t) => {
  assert.equal((await start(t, null)).port, undefined)
  const { open } = await startProxied(t, { config: { plugins: { memory: both } }, env: { MEMORY_PORT: '0' } })
  assert.equal(open['memory'], undefined)
})

test('H5: each route is one operation at the state role, with the token of the launcher and one span', async (t) => {
  const { state, ask, spans } = await start(t)
  assert.deepEqual((await ask('GET', '/healthz')).body, { status: 'ok' })
  assert.equal(state.requests.length, 0, 'the backend is not probed')
  state.reply = (response) => void response.end('[{"a":1},"b"]')
  const read = await ask('GET', '/memory/c%3A1')
  assert.deepEqual([read.status, read.type, read.body], [200, 'application/json', [{ a: 1 }, 'b']])
  await ask('GET', '/memory/c1/search?q=a%20%26b')
  state.reply = answers(201, { length: 2 })
  assert.deepEqual((await ask('POST', '/memory/c1/append', 'null')).body, { length: 2 })
  state.reply = answers(201, { id: 'i1' })
  const item = { text: 'likes tea', metadata: { topic: 'tea' }, ttl: '30d' }
  assert.deepEqual((await ask('POST', '/memory/agent/remember', item)).body, { id: 'i1' })
  const found = { id: 'i1', text: 'likes tea', metadata: {}, score: 1, createdAt: '2026-11-23T12:00:00Z' }
  state.reply = answers(200, { items: [found] })
  assert.deepEqual((await ask('POST', '/memory/agent/search', { query: 'tea', limit: 3 })).body, { items: [found] })
  const noted = { items: [found], note: 'embeddings_budget_exceeded' }
  state.reply = answers(200, noted)
  assert.deepEqual((await ask('POST', '/memory/agent/search', { query: 'tea' })).body, noted)
  assert.deepEqual(
    state.requests.map((one) => [one.method, one.path, one.text]),
    [
      ['GET', '/memory/conversations/c%3A1', ''],
      ['GET', '/memory/conversations/c1/search?q=a%20%26b', ''],
      ['POST', '/memory/conversations/c1/entries', '{"entry":null}'],
      ['POST', '/memory/items', JSON.stringify(item)],
      ['POST', '/memory/items/search', '{"query":"tea","limit":3}'],
      ['POST', '/memory/items/search', '{"query":"tea"}'],
    ],
  )
  for (const { headers } of state.requests) {
    assert.equal(headers.authorization, 'Bearer state-token')
    assert.match(String(headers['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
  }
  const names = spans().map(({ name }) => name)
  assert.deepEqual(names, [
    'memory get',
    'memory search',
    'memory append',
    'memory remember',
    'memory recall',
    'memory recall',
  ])
  assert.doesNotMatch(JSON.stringify(spans()), /likes tea/)
})

test('H5: a part that is not bound is 404 not_bound, and the backend is not asked', async (t) => {
  const session = await start(t, { session: true })
  assert.deepEqual(await session.codeOf('POST', '/memory/agent/remember', { text: 'a' }), [404, 'not_bound'])
  assert.deepEqual(await session.codeOf('POST', '/memory/agent/search', { query: 'a' }), [404, 'not_bound'])
  const longTerm = await start(t, { longTerm: true })
  assert.deepEqual(await longTerm.codeOf('GET', '/memory/c1'), [404, 'not_bound'])
  assert.deepEqual(await longTerm.codeOf('POST', '/memory/c1/append', '1'), [404, 'not_bound'])
  assert.deepEqual(await longTerm.codeOf('GET', '/memory/c1/search?q=a'), [404, 'not_bound'])
  assert.deepEqual([session.state.requests, longTerm.state.requests], [[], []])
})

test('H5: conversation ids are decoded once and cannot leave their namespace; agent is reserved', async (t) => {
  const { state, codeOf } = await start(t)
  const ids = [
    'agent',
    '%61gent',
    '..',
    '%2e%2e',
    '%252e',
    'a%2Fb',
    'a%00b',
    '%',
    '%zz',
    '-a',
    'x'.repeat(129),
    'a%0d%0ab',
    '%ff',
  ]
  for (const id of ids) {
    assert.deepEqual(await codeOf('GET', `/memory/${id}`), [400, 'malformed_request'], id)
    assert.deepEqual(await codeOf('POST', `/memory/${id}/append`, '1'), [400, 'malformed_request'], id)
    assert.deepEqual(await codeOf('GET', `/memory/${id}/search?q=a`), [400, 'malformed_request'], id)
  }
  for (const [method, path, status] of [
    ['GET', '/memory/', 400],
    ['GET', '/memory', 404],
    ['GET', '/memory/a/b/c', 404],
    ['POST', '/memory/c1', 405],
    ['GET', '/memory/c1/append', 405],
    ['GET', '/memory/agent/remember', 405],
    ['POST', '/memory/c1/search', 405],
  ] as const)
    assert.equal((await codeOf(method, path, method === 'POST' ? '1' : undefined))[0], status, path)
  assert.deepEqual(state.requests, [])
})

test('H5: bad input is 400 with its field, also when the backend is down', async (t) => {
  const { codeOf, ask } = await start(t, both, `http://127.0.0.1:${await freePort()}`)
  for (const path of ['/memory/c1/search', '/memory/c1/search?q=', '/memory/c1/search?q=a&q=b'])
    assert.deepEqual(await codeOf('GET', path), [400, 'malformed_request'], path)
  assert.deepEqual(await codeOf('GET', `/memory/c1/search?q=${'x'.repeat(1_025)}`), [400, 'malformed_request'])
  for (const body of ['', '{', '[1,]', '['.repeat(65) + ']'.repeat(65), '{"__proto__":1}', 'NaN'])
    assert.deepEqual(await codeOf('POST', '/memory/c1/append', body), [400, 'malformed_request'], body.slice(0, 20))
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['remember', {}, /^text: /],
    ['remember', { text: 1 }, /^text: /],
    ['remember', { text: 'x'.repeat(32_769) }, /^text: /],
    ['remember', { text: 'a', ttl: '60' }, /^ttl: must be a duration/],
    ['remember', { text: 'a', ttl: '4000d' }, /^ttl: /],
    ['remember', { text: 'a', metadata: [] }, /^metadata: /],
    ['remember', { text: 'a', more: 1 }, /^more: unknown field/],
    ['search', { query: '' }, /^query: /],
    ['search', { query: 'a', limit: 51 }, /^limit: /],
    ['search', { query: 'a', limit: 0 }, /^limit: /],
    ['search', { query: 'a', limit: 2 ** 31 }, /^limit: /],
    ['search', { query: 'a', filter: 'b' }, /^filter: /],
  ]
  for (const [path, body, message] of wrong) {
    const answer = await ask('POST', `/memory/agent/${path}`, body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.match(String(answer.body['message']), message)
  }
  assert.deepEqual(await codeOf('GET', '/memory/c1', undefined, { 'x-mesh-run-id': 'none' }), [404, 'unknown_run'])
})

test('F5: U+0000 and lone surrogates are mended before they are sent', async (t) => {
  const { state, ask } = await start(t)
  state.reply = answers(201, { length: 1, id: 'i' })
  await ask('POST', '/memory/c1/append', '{"a\\u0000":["\\ud800x","\\ud83d\\ude00"]}')
  await ask('POST', '/memory/agent/remember', '{"text":"a\\u0000b","metadata":{"k\\udfff":"\\u0000"}}')
  assert.deepEqual(
    state.requests.map((one) => JSON.parse(one.text) as unknown),
    [{ entry: { 'a\ufffd': ['\ufffdx', '😀'] } }, { text: 'a\ufffdb', metadata: { 'k\ufffd': '\ufffd' } }],
  )
})

test('H5: a body over 256 KiB is 413 before it is buffered, with and without a length', async (t) => {
  const { state, port = 0, codeOf, ask } = await start(t)
  const limit = 256 * 1024
  assert.deepEqual(await codeOf('POST', '/memory/c1/append', `"${'x'.repeat(limit)}"`), [413, 'payload_too_large'])
  state.reply = answers(201, { length: 1 })
  assert.equal((await ask('POST', '/memory/c1/append', `"${'x'.repeat(limit - 2)}"`)).status, 201)
  const answerOf = async (headers: Record<string, string>, sent: number): Promise<readonly [number, number]> => {
    const type = { 'content-type': 'application/json' }
    const request = httpRequest({ port, method: 'POST', path: '/memory/c1/append', headers: { ...type, ...headers } })
    request.on('error', () => undefined)
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    request.write('x'.repeat(sent))
    const [response] = await answered
    request.destroy()
    return [response.statusCode ?? 0, sent]
  }
  // Refused while most of the body was never sent.
  assert.deepEqual(await answerOf({ 'content-length': String(2 ** 31) }, 1), [413, 1])
  assert.deepEqual(await answerOf({ 'transfer-encoding': 'chunked' }, limit + 1), [413, limit + 1])
})

test('H5: a failing backend is 502 memory_unavailable; what is about the request keeps its code', async (t) => {
  const { state, codeOf, ask, launcher } = await start(t)
  for (const status of [500, 501, 502, 503, 401, 403, 302, 405, 408]) {
    state.reply = answers(status, { code: 'state_store_unavailable', detail: 'secret' })
    assert.deepEqual(await codeOf('POST', '/memory/c1/append', '1'), [502, 'memory_unavailable'], String(status))
  }
  for (const [status, code] of [
    [404, 'not_bound'],
    [404, 'unknown_run'],
    [413, 'conversation_full'],
    [429, 'memory_quota_exceeded'],
  ] as const) {
    state.reply = answers(status, { code, detail: 'Why.' })
    const { body } = await ask('POST', '/memory/c1/append', '1')
    assert.deepEqual(body, { error: code, message: 'Why.' })
  }
  state.reply = answers(429, { code: 'too_many_requests' })
  assert.deepEqual(await codeOf('GET', '/memory/c1'), [429, 'too_many_memory_calls'])
  state.reply = answers(400, { code: 'invalid_body', errors: [{ pointer: '/metadata', detail: 'is too large' }] })
  assert.deepEqual((await ask('POST', '/memory/c1/append', '1')).body, {
    error: 'malformed_request',
    message: '/metadata: is too large',
  })
  for (const bytes of ['', 'nonsense', '[]', '{"length":"1"}']) {
    state.reply = (response) => void response.writeHead(201).end(bytes)
    assert.deepEqual(await codeOf('POST', '/memory/c1/append', '1'), [502, 'memory_unavailable'], bytes)
  }
  state.reply = (response) => void response.destroy()
  assert.deepEqual(await codeOf('GET', '/memory/c1'), [502, 'memory_unavailable'])
  state.server.closeAllConnections()
  await new Promise((resolve) => state.server.close(resolve))
  assert.deepEqual(await codeOf('GET', '/memory/c1'), [502, 'memory_unavailable'])
  assert.equal((await ask('GET', '/healthz')).status, 200)
  await launcher.idle()
})

test('H5: 64 calls at once; the next is 429, and a client that leaves ends its call', async (t) => {
  const { state, codeOf, ask, port = 0 } = await start(t)
  const held: (() => void)[] = []
  const arrived = Promise.withResolvers<void>()
  state.reply = (response, request) => {
    held.push(() => answers(200, [])(response, request))
    if (held.length === 64) arrived.resolve()
  }
  const requests = Array.from({ length: 64 }, () => {
    const request = httpRequest({ port, path: '/memory/c1', agent: false })
    request.on('error', () => undefined)
    request.end()
    return request
  })
  await arrived.promise
  assert.deepEqual(await codeOf('GET', '/memory/c1'), [429, 'too_many_memory_calls'])
  assert.equal((await ask('GET', '/healthz')).status, 200)
  for (const request of requests.slice(0, 32)) request.destroy()
  state.reply = answers(200, [])
  // The launcher sees the closed connections some moments later.
  while ((await ask('GET', '/memory/c1')).status !== 200);
  for (const answer of held) answer()
})
