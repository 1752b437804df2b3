import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { Fail } from './errors.ts'
import { openEventStream } from './event-stream.ts'
import type { Intent, Outcome } from './points.ts'
import { buildServer, DENIED } from './testing/build-server.ts'

const good = { authorization: 'Bearer good-token' }
const free = Type.Object({}, { additionalProperties: true })

function route(more: Partial<AnyEndpoint>): AnyEndpoint {
  return {
    ...endpoint({
      method: 'GET',
      url: '/things',
      summary: 'x',
      authz: { kind: 'bearer' },
      response: { 200: free },
      handle: async ({ params, query, body }) => ({ params, query, body: body ?? null }),
    }),
    ...more,
  }
}

const named = route({ url: '/things/:ns/:name' })
const query = Type.Object({
  limit: Type.Optional(Type.Integer()),
  dry: Type.Optional(Type.Boolean()),
  state: Type.Optional(Type.Enum(['on', 'off'])),
  q: Type.Optional(Type.String()),
})
const listed = route({ query })
const posted = route({
  method: 'POST',
  body: Type.Object({
    count: Type.Integer(),
    tag: Type.Optional(Type.String({ maxLength: 5 })),
    nested: Type.Optional(Type.Object({ on: Type.Boolean() })),
  }),
})

async function start(t: TestContext, endpoints: readonly AnyEndpoint[], more = {}) {
  const server = await buildServer(t, [{ endpoints }], more)
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  /** Sends bytes as they are, and reads until the server closes. */
  const raw = async (head: string, body = ''): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk: string) => (text += chunk))
    socket.end(`${head.replaceAll('\n', '\r\n')}\r\nConnection: close\r\n\r\n${body}`)
    await once(socket, 'close')
    return text
  }
  const status = async (head: string, body?: string): Promise<number> =>
    Number(/^HTTP\/1.1 (\d+)/.exec(await raw(head, body))?.[1])
  return { ...server, raw, status, url: `http://127.0.0.1:${port}` }
}

const authorized = 'Host: x\nAuthorization: Bearer good-token'

test('D3: a missing, empty, malformed or duplicated bearer is the same 401, and nothing is asked upstream', async (t) => {
  const { raw, upstream } = await start(t, [named, listed])
  const heads = [
    'GET /api/things HTTP/1.1\nHost: x',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization:',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer ',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer a b',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer nothing!',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Basic Z29vZDp0b2tlbg==',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: good-token',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer good-token\nAuthorization: Bearer good-token',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer good-token\nauthorization: Bearer other-token',
    'GET /api/unknown HTTP/1.1\nHost: x',
    'GET /api HTTP/1.1\nHost: x',
    'GET //api/things HTTP/1.1\nHost: x',
    'GET /api/%zz HTTP/1.1\nHost: x',
    'PROPFIND /api/things HTTP/1.1\nHost: x',
    // D5: a token in a query string, with or without a good header
    ...['access_token', 'token', 'Authorization', 'acce%73s_token', 'api_key'].map(
      (name) => `GET /api/things?${name}=secret-canary HTTP/1.1\n${authorized}`,
    ),
  ]
  const answers = await Promise.all(heads.map((head) => raw(head)))
  const bodies = new Set(answers.map((answer) => answer.split('\r\n\r\n')[1]))
  assert.deepEqual(
    [...bodies],
    [
      '{"type":"urn:mesh:error:unauthenticated","title":"A valid bearer token is required.","status":401,"code":"unauthenticated","retryable":false}',
    ],
  )
  for (const answer of answers) assert.match(answer, /^HTTP\/1.1 401 [\s\S]*www-authenticate: Bearer/i)
  assert.deepEqual(upstream, [])
})

test('D5: a token in a query string is in no log line', async (t) => {
  const { raw, lines } = await start(t, [listed])
  await raw(`GET /api/things?access_token=secret-canary HTTP/1.1\n${authorized}`)
  await raw(`GET /api/things?q=secret-canary HTTP/1.1\n${authorized}`)
  assert.ok(lines.length >= 2)
  assert.doesNotMatch(lines.join(''), /canary|good-token/)
})

test('D3: exactly the share is public under /api, and an unknown share is the bare 404', async (t) => {
  const share = route({
    url: '/shared/runs/:token',
    authz: { kind: 'shareToken' },
    params: Type.Object({ token: Type.String() }),
    handle: async ({ params }) => {
      if (JSON.stringify(params) !== '{"token":"good"}') throw new Fail('not_found')
      return {}
    },
  })
  const { raw, status } = await start(t, [share, listed])
  assert.equal(await status('GET /api/shared/runs/good HTTP/1.1\nHost: x'), 200)
  const bodyOf = async (head: string) => (await raw(head)).split('\r\n\r\n')[1]
  const unknown = await bodyOf('GET /api/shared/runs/bad HTTP/1.1\nHost: x')
  assert.equal(
    unknown,
    '{"type":"urn:mesh:error:not_found","title":"Not found.","status":404,"code":"not_found","retryable":false}',
  )
  assert.equal(unknown, await bodyOf(`GET /api/nothing HTTP/1.1\n${authorized}`))
  assert.equal(unknown, await bodyOf('GET /nothing HTTP/1.1\nHost: x'))
  assert.equal(await status('GET /api/shared HTTP/1.1\nHost: x'), 401)
})

test('M13, K5: what Fastify does by default and this server does not', async (t) => {
  const { raw, status, app, upstream } = await start(t, [named, listed, posted])
  // 404 for a wrong method
  assert.match(
    await raw(`PUT /api/things HTTP/1.1\n${authorized}`),
    /^HTTP\/1.1 405 [\s\S]*allow: GET, HEAD, POST\r\n/i,
  )
  // unknown body fields stripped, types coerced
  const post = (payload: unknown) =>
    app
      .inject({ method: 'POST', url: '/api/things', headers: good, payload: JSON.stringify(payload) })
      .then((answer) => answer)
  const typed = async (payload: unknown) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/things',
      headers: { ...good, 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    })
    return [answer.statusCode, answer.json<{ errors?: unknown }>().errors]
  }
  assert.equal((await post({ count: 1 })).statusCode, 415) // no content type is not JSON
  assert.deepEqual(await typed({ count: 1, extra: 1 }), [400, [{ pointer: '/extra', detail: 'is not a known field' }]])
  assert.deepEqual(await typed({ count: 1, nested: { on: true, 'a/b~': 1 } }), [
    400,
    [{ pointer: '/nested/a~1b~0', detail: 'is not a known field' }],
  ])
  assert.deepEqual(await typed({ count: '1' }), [400, [{ pointer: '/count', detail: 'must be integer' }]])
  assert.deepEqual(await typed({}), [400, [{ pointer: '/count', detail: 'is required' }]])
  assert.deepEqual(await typed({ count: 1, tag: 'sk-secret-canary' }), [
    400,
    [{ pointer: '/tag', detail: 'must not have more than 5 characters' }],
  ])
  // parameters over 100 characters rejected: a name may have 253
  const long = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61)
  assert.equal(long.length, 253)
  assert.equal(await status(`GET /api/things/default/${long} HTTP/1.1\n${authorized}`), 200)
  assert.match(await raw(`GET /api/things/default/${long}b HTTP/1.1\n${authorized}`), /400 [\s\S]*"invalid_name"/)
  assert.match(
    await raw(`GET /api/things/default/${'b'.repeat(2000)} HTTP/1.1\n${authorized}`),
    /400 [\s\S]*"invalid_name"/,
  )
  // error bodies echo the path; `a%2fb` reaches the handler as `a/b`; M1
  upstream.length = 0
  for (const bad of [
    '.',
    '..',
    '%2e',
    '%2E%2e',
    'a%2fb',
    'a%5cb',
    'a%00',
    'A',
    '-a',
    'a..b',
    '%20',
    '%c3%a9',
    'a%252f',
  ])
    assert.match(await raw(`GET /api/things/default/${bad} HTTP/1.1\n${authorized}`), /400 [\s\S]*"invalid_name"/, bad)
  for (const bad of ['.', '..', '%2e', 'a.b', 'A', 'a%2fb'])
    assert.match(await raw(`GET /api/things/${bad}/x HTTP/1.1\n${authorized}`), /400 [\s\S]*":ns"/, bad)
  assert.deepEqual(upstream, [])
  assert.doesNotMatch(await raw(`GET /api/<script> HTTP/1.1\n${authorized}`), /script/)
})

test('K7: every query parameter is known, single-valued and read exactly by its type', async (t) => {
  const { app, upstream } = await start(t, [listed])
  const ask = async (search: string) => {
    const answer = await app.inject({ url: `/api/things${search}`, headers: good })
    const body = answer.json<{ query?: unknown; errors?: readonly { pointer: string }[] }>()
    return answer.statusCode === 200 ? body.query : [answer.statusCode, body.errors?.[0]?.pointer]
  }
  assert.deepEqual(await ask('?limit=10&dry=false&state=on&q=a%20b+c%26'), {
    limit: 10,
    dry: false,
    state: 'on',
    q: 'a b c&',
  })
  assert.deepEqual(await ask('?'), {})
  upstream.length = 0
  for (const bad of [
    '?limit=1&limit=2',
    '?limit=1&limi%74=1',
    '?limit=',
    '?limit=1e3',
    '?limit=0x1',
    '?limit=01',
    '?limit=+1',
    '?limit=1.0',
    '?limit=99999999999999999',
    '?limit',
  ])
    assert.deepEqual(await ask(bad), [400, '?limit'], bad)
  assert.deepEqual(await ask('?dry=1'), [400, '?dry'])
  assert.deepEqual(await ask('?state=up'), [400, '?state'])
  assert.deepEqual(await ask('?other=1'), [400, '?other'])
  assert.deepEqual(await ask('?limit[]=1'), [400, '?limit[]'])
  assert.deepEqual(await ask('?__proto__=1'), [400, '?__proto__'])
  assert.deepEqual(await ask('?q=%ff'), [400, undefined])
  assert.deepEqual(await ask(`?${'q=1&'.repeat(65)}`), [400, undefined])
  assert.deepEqual(upstream, [])
})

test('X3: JSON of bounded depth and size, without __proto__, and never quoted in the answer', async (t) => {
  const { app } = await start(t, [route({ method: 'POST', url: '/any', body: Type.Unknown(), bodyLimit: 100_000 })])
  const post = async (payload: string | Buffer) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/any',
      headers: { ...good, 'content-type': 'application/json' },
      payload,
    })
    assert.doesNotMatch(answer.body.replace(/"body":.*/, ''), /canary/)
    return [answer.statusCode, answer.json<{ code?: string }>().code]
  }
  const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  assert.deepEqual(await post(nest(64)), [200, undefined])
  assert.deepEqual(await post(nest(65)), [400, 'malformed_request'])
  assert.deepEqual(await post('['.repeat(90_000)), [400, 'malformed_request'])
  assert.deepEqual(await post(`{"a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`), [200, undefined])
  assert.deepEqual(await post('{"__proto__":{"canary":1}}'), [400, 'malformed_request'])
  assert.deepEqual(await post('{"a":[{"\\u005f_proto__":1}]}'), [400, 'malformed_request'])
  assert.deepEqual(await post('{"canary": sk-canary}'), [400, 'malformed_request'])
  assert.deepEqual(await post(Buffer.from([0x22, 0xff, 0x22])), [400, 'malformed_request'])
  assert.deepEqual(await post(`"${'x'.repeat(100_000)}"`), [413, 'payload_too_large'])
})

test('M14: what the parser of Node refuses, and what it lets through, is pinned', async (t) => {
  const { status, raw } = await start(t, [listed, posted])
  const post = `POST /api/things HTTP/1.1\n${authorized}\nContent-Type: application/json`
  const refusedByNode = [
    `${post}\nContent-Length: 11\nTransfer-Encoding: chunked`,
    `${post}\nContent-Length: 11\nContent-Length: 12`,
    `${post}\nContent-Length : 11`,
    `${post}\nX-Folded: a\n b`,
  ]
  for (const head of refusedByNode) assert.equal(await status(head, '{"count":1}'), 400, head)
  assert.match(
    await raw(`GET /api/things HTTP/1.1\n${authorized}\nX: ${'x'.repeat(20_000)}`),
    /431 [\s\S]*"header_fields_too_large"/,
  )
  // These pass the parser, first one wins or both are joined: refused by us.
  assert.equal(await status(`GET /api/things HTTP/1.1\n${authorized}\nHost: y`), 400)
  assert.equal(await status(`GET /api/things HTTP/1.1\n${authorized}\nAuthorization: Bearer other-token`), 401)
  assert.equal(await status(`${post}\nIdempotency-Key: a\nIdempotency-Key: b\nContent-Length: 11`, '{"count":1}'), 400)
  assert.equal(await status(`${post}\nX-AMP-Envelope: a\nX-AMP-Envelope: b\nContent-Length: 11`, '{"count":1}'), 400)
  assert.equal(await status(`${post}\nContent-Length: 11`, '{"count":1}'), 200)
})

test('X4: odd spellings of a path give 404 or the same auth result', async (t) => {
  const { status, upstream } = await start(t, [listed, named])
  const spellings = [
    '/api/things',
    '/%61pi/things',
    '/api/%74hings',
    '/API/things',
    '//api/things',
    '/api//things',
    '/api/things/',
    '/api/./things',
    '/api/x/../things',
    '/api;/things',
    '/api/things;x=1',
    '/api/things%2f',
    '/api%2fthings',
    '/api\\things',
    'http://other/api/things',
    '/.%2fapi/things',
  ]
  for (const path of spellings) {
    const without = await status(`GET ${path} HTTP/1.1\nHost: x`)
    assert.ok([401, 404, 400].includes(without), `${path}: ${without}`)
    assert.deepEqual(upstream, [], path)
    const withBearer = await status(`GET ${path} HTTP/1.1\n${authorized}`)
    assert.ok([200, 400, 404].includes(withBearer), `${path}: ${withBearer}`)
    if (withBearer === 200) assert.equal(without, 401, path)
    upstream.length = 0
  }
})

test('X5: every registered path answers 405 with Allow for every other method, hidden routes not counted', async (t) => {
  const { app, raw } = await buildTwo(t)
  const allowed = {
    '/api/things': 'GET, HEAD, POST',
    '/api/things/default/x': 'GET, HEAD',
    '/api/shared': 'GET, HEAD, PUT',
  }
  for (const [url, allow] of Object.entries(allowed)) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const) {
      const answer = await app.inject({ method: method as 'GET', url, headers: good })
      if (allow.split(', ').includes(method)) assert.notEqual(answer.statusCode, 405, `${method} ${url}`)
      else assert.deepEqual([answer.statusCode, answer.headers.allow], [405, allow], `${method} ${url}`)
    }
    assert.match(
      await raw(`PROPFIND ${url} HTTP/1.1\n${authorized}`),
      new RegExp(`^HTTP/1.1 405 [\\s\\S]*allow: ${allow}\r\n`, 'i'),
    )
  }
  assert.equal((await app.inject({ method: 'PUT', url: '/api/hidden', headers: good })).statusCode, 404)
})

async function buildTwo(t: TestContext) {
  const server = await buildServer(t, [
    { name: 'one', endpoints: [listed, named, posted, route({ url: '/shared' })] },
    { name: 'two', endpoints: [route({ method: 'PUT', url: '/shared' })] },
    { name: 'three', wiring: 'hidden', endpoints: [route({ url: '/hidden' })] },
  ])
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.app.server.address()
  const raw = async (head: string): Promise<string> => {
    const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.end(`${head.replaceAll('\n', '\r\n')}\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    return text
  }
  return { ...server, raw }
}

test('D6: every answer carries the security headers', async (t) => {
  const { app } = await start(t, [listed])
  for (const url of ['/api/things', '/api/nothing', '/nothing', '/api/things?x=1']) {
    const { headers } = await app.inject({ url, headers: good })
    assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.match(String(headers['strict-transport-security']), /max-age/)
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
})

test('A2: an act of no trace of its own runs when its intent is kept; its outcome names it, whatever it is', async (t) => {
  const did: string[] = []
  const act = route({
    method: 'POST',
    url: '/acts/:ns/:name',
    authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
    audit: { action: 'rotate', resourceKind: 'ModelProvider', intent: true },
    handle: async ({ params }) => {
      did.push(`act ${params.name}`)
      if (params.name === 'bad') throw new Fail('invalid_body')
      return {}
    },
  })
  const { app, outcomes, services } = await start(t, [act])
  t.mock.method(services, 'outcomes', () => [
    {
      record: (outcome: Outcome) => outcomes.push(outcome),
      intend: async ({ name, id }: Intent) => {
        await new Promise(setImmediate)
        did.push(`intent ${name} ${typeof id}`)
        // A sink that fails stops nothing.
        if (name === 'lost') throw new Error('disk')
      },
    },
  ])
  const post = (name: string, token = 'good-token') =>
    app.inject({ method: 'POST', url: `/api/acts/default/${name}`, headers: { authorization: `Bearer ${token}` } })
  for (const name of ['good', 'bad', 'lost']) await post(name)
  await post('no', DENIED)
  assert.deepEqual(did, [
    'intent good string',
    'act good',
    'intent bad string',
    'act bad',
    'intent lost string',
    'act lost',
  ])
  const told = outcomes.map(({ name, outcome, intent, action }) => [name, outcome, action, typeof intent])
  assert.deepEqual(told, [
    ['good', 'success', 'rotate', 'string'],
    ['bad', 'error', 'rotate', 'string'],
    ['lost', 'success', 'rotate', 'string'],
    // A denial comes before the intent, and is counted with others.
    ['no', 'denied', 'rotate', 'undefined'],
  ])
})

test('denied and failed mutations are told to the audit point, bad requests are not', async (t) => {
  const failing = route({
    method: 'POST',
    url: '/items/:ns/:name',
    authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
    body: free,
    audit: { action: 'connect', resourceKind: 'Run' },
    handle: async () => {
      throw new Error('inside secret-canary')
    },
  })
  const { app, outcomes } = await start(t, [failing, listed])
  const post = (token: string, body: string) =>
    app.inject({
      method: 'POST',
      url: '/api/items/default/x',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      },
      payload: body,
    })
  await post(DENIED, '{"password":"secret-canary"}')
  const failed = await post('good-token', '{"password":"secret-canary"}')
  await post('good-token', '{')
  await app.inject({ url: '/api/things', headers: { authorization: `Bearer ${DENIED}` } })
  const common = { action: 'connect', resourceKind: 'Run', namespace: 'default', name: 'x', traceId: 'a'.repeat(32) }
  const told = outcomes.map(({ traceparent, ...rest }) => ({ ...rest, traceId: traceparent.split('-')[1] }))
  assert.deepEqual(told, [
    { actor: 'denied', ...common, outcome: 'denied', code: 'forbidden' },
    { actor: 'test', ...common, outcome: 'error', code: 'internal_error' },
  ])
  assert.equal(failed.statusCode, 500)
  assert.doesNotMatch(failed.body, /canary/)
  assert.equal(failed.json<{ traceId: string }>().traceId, 'a'.repeat(32))
})

test('X7: above its limits a replica answers 503 or 429 with Retry-After, before anything upstream', async (t) => {
  const gate = { entered: Promise.withResolvers<void>(), leave: Promise.withResolvers<void>() }
  const slow = route({
    url: '/slow',
    handle: async () => {
      gate.entered.resolve()
      await gate.leave.promise
      return {}
    },
  })
  const { app, upstream } = await start(t, [slow, listed], { underWay: 1, perCallerPerMinute: 3 })
  const first = app.inject({ url: '/api/slow', headers: good })
  await gate.entered.promise
  upstream.length = 0
  const overloaded = await app.inject({ url: '/api/things', headers: good })
  assert.deepEqual(
    [overloaded.statusCode, overloaded.json<{ code: string }>().code, overloaded.headers['retry-after']],
    [503, 'overloaded', '1'],
  )
  gate.leave.resolve()
  assert.equal((await first).statusCode, 200)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await app.inject({ url: '/api/things', headers: good })).statusCode)
  assert.deepEqual(statuses, [200, 200, 429, 429])
  const other = await app.inject({ url: '/api/things', headers: { authorization: 'Bearer other-token' } })
  assert.equal(other.statusCode, 200)
})

test('X1: streams have heartbeats, caps per user and replica, a re-check, and a client that never reads is cut at 256 KiB', async (t) => {
  const opened: { send(frame: string): Promise<void> | undefined; closed: Promise<void> }[] = []
  let allowed = true
  const stream = route({
    url: '/stream',
    stream: true,
    handle: async (call) => {
      opened.push(
        openEventStream(call, {
          heartbeatMs: 20,
          recheckMs: 20,
          recheck: async () => {
            if (!allowed) throw new Fail('forbidden')
          },
        }),
      )
    },
  })
  const { app, url, services } = await start(t, [stream])
  const open = () => fetch(`${url}/api/stream`, { headers: good })
  const first = await open()
  assert.equal(first.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(first.headers.get('x-content-type-options'), 'nosniff')
  const reader = first.body?.getReader()
  assert.equal(new TextDecoder().decode((await reader?.read())?.value), ': \n\n')
  const second = await open()
  const third = await open()
  assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '5'])
  await third.text()
  // HEAD answers headers only and holds no place
  await second.body?.cancel()
  await opened[1]?.closed
  assert.equal((await app.inject({ method: 'HEAD', url: '/api/stream', headers: good })).statusCode, 200)
  assert.equal(services.streams.size, 1)
  // a client that never reads
  const lazy = connect(Number(new URL(url).port), '127.0.0.1')
  await once(lazy, 'connect')
  lazy.pause()
  lazy.write(`GET /api/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good-token\r\n\r\n`)
  while (opened.length < 4) await new Promise((resolve) => setImmediate(resolve))
  const mine = opened[3]
  const frame = `data: ${'x'.repeat(16_384)}\n\n`
  // More than kernel buffers and cap together; what is sent after the cut goes nowhere.
  for (let sent = 0; sent < 1000; sent++) {
    void mine?.send(frame)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await mine?.closed
  lazy.destroy()
  // the right is withdrawn: the stream ends
  allowed = false
  while ((await reader?.read())?.done === false);
  await opened[0]?.closed
  assert.equal(services.streams.size, 0)
})

test('a route that repeats stored answers must have a review that comes before them', async (t) => {
  const repeating = { method: 'POST', idempotent: true } as const
  for (const authz of [
    { kind: 'bearer' },
    { kind: 'kube', verb: 'create', resource: 'agentdeployments' },
    { kind: 'row', verb: 'update', resource: 'runs' },
  ] as const)
    await assert.rejects(buildServer(t, [{ endpoints: [route({ ...repeating, authz })] }]), /needs a review/)
  const asked: string[] = []
  const { app } = await buildServer(t, [
    {
      endpoints: [
        route({
          ...repeating,
          authz: { kind: 'row', verb: 'update', resource: 'runs' },
          review: (call) => {
            asked.push('review')
            return call.caller.review('update', 'runs', { namespace: '' })
          },
          handle: async ({ access }) => {
            asked.push(`handle ${access.verb}`)
            return {}
          },
        }),
      ],
    },
  ])
  const post = (bearer: string) =>
    app.inject({ method: 'POST', url: '/api/things', headers: { authorization: `Bearer ${bearer}` } })
  assert.equal((await post('good-token')).statusCode, 200)
  assert.equal((await post(DENIED)).statusCode, 403)
  assert.deepEqual(asked, ['review', 'handle update', 'review'])
})
