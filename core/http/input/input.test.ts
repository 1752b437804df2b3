import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'
import { buildServer } from '../testing/build-server.ts'
import { authorized, free, good, listed, named, posted, route, start } from '../testing/hardened.ts'

/** Requests to the API server other than the identification of the caller, which is first and cached. */
const questions = (upstream: readonly string[]): readonly string[] => upstream.filter((one) => one !== 'as')

test('M13, K5: what Fastify does by default and this server does not', async (t) => {
  const { raw, status, app, upstream } = await start(t, [named, listed, posted])
  // 404 for a wrong method
  assert.match(
    await raw(`PUT /api/things HTTP/1.1\n${authorized}`),
    /^HTTP\/1.1 405 [\s\S]*allow: GET, HEAD, POST\r\n/i,
  )
  // unknown body fields removed, types coerced
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
  assert.equal((await post({ count: 1 })).statusCode, 415) // a request without a content type is not JSON
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
  assert.deepEqual(questions(upstream), [])
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
  assert.deepEqual(questions(upstream), [])
})

test('X3: JSON of bounded depth and size, without __proto__, and never quoted in the response', async (t) => {
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

test('M14: pins what the parser of Node refuses and accepts', async (t) => {
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
  // The parser accepts these and uses the first or joins both, so our code refuses them.
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
    assert.deepEqual(questions(upstream), [], path)
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

test('UXM3: a refusal states what to send instead', async (t) => {
  const file = route({ method: 'POST', url: '/files', body: free, handleYaml: async ({ body }) => ({ text: body }) })
  const { app } = await start(t, [listed, posted, file])
  const send = async (url: string, type: string | undefined, payload: string | Buffer) => {
    const headers = { ...good, ...(type === undefined ? {} : { 'content-type': type }) }
    const answer = await app.inject({ method: 'POST', url: `/api${url}`, headers, payload })
    const { detail, errors, code } = answer.json<{ detail?: string; code?: string; errors?: object[] }>()
    return { status: answer.statusCode, detail, code, errors, accepts: answer.headers['accept-post'] }
  }
  for (const type of [undefined, 'application/yaml', 'text/plain']) {
    const { status, detail, accepts } = await send('/things', type, 'count: 1')
    assert.deepEqual(
      [status, detail, accepts],
      [415, 'Send application/json, and name it in Content-Type.', 'application/json'],
    )
  }
  const both = 'application/json, application/yaml'
  assert.deepEqual(await send('/files', 'text/yaml', 'a: 1').then(({ status, accepts }) => [status, accepts]), [
    415,
    both,
  ])
  const json = 'application/json'
  const large = await send('/things', json, JSON.stringify({ tag: 'x'.repeat(1024 * 1024) }))
  assert.deepEqual([large.status, large.detail], [413, 'The body is above 1 MiB.'])
  const text = await send('/files', 'application/yaml', 'x'.repeat(256 * 1024 + 1))
  assert.deepEqual([text.status, text.detail], [413, 'The body is above 256 KiB.'])
  const bytes = await send('/files', 'application/yaml; charset=utf-8', Buffer.from([0x61, 0xff]))
  assert.deepEqual([bytes.status, bytes.detail], [400, 'The body is not valid UTF-8.'])
  assert.deepEqual((await send('/things', json, '{"count":1,"nestd":{}}')).errors, [
    { pointer: '/nestd', detail: 'is not a known field; did you mean nested?' },
  ])
  const query = async (search: string) =>
    (await app.inject({ url: `/api/things?${search}`, headers: good })).json<{ detail: string }>().detail
  assert.equal(await query('state=of'), 'state must be one of on, off; did you mean off?.')
  assert.equal(await query('limt=1'), 'limt is not a known parameter; did you mean limit?.')
})

test('UXM3: a YAML body reaches the handler as text; a route that reads its body before has none', async (t) => {
  const file = route({ method: 'POST', body: free, handleYaml: async ({ body }) => ({ text: body }) })
  const { app } = await start(t, [file])
  const headers = { ...good, 'content-type': 'application/yaml' }
  const answer = await app.inject({ method: 'POST', url: '/api/things', headers, payload: 'a: 1\n' })
  assert.deepEqual(answer.json(), { text: 'a: 1\n' })
  const namespace = { in: 'body', field: 'namespace' } as const
  const reviewed = { kind: 'review', verb: 'create', resource: 'runs', namespace } as const
  await assert.rejects(buildServer(t, [{ endpoints: [{ ...file, authz: reviewed }] }]), /handleYaml has no review/)
})

test('a file reaches the handler as its bytes and its media type; other types and routes refuse it', async (t) => {
  const fileTypes = ['text/csv', 'application/pdf']
  const handleFile: AnyEndpoint['handleFile'] = async ({ body: { type, bytes } }) => ({
    text: `${type} ${bytes.length}`,
  })
  const upload = route({ method: 'POST', url: '/files', body: free, bodyLimit: 2 * 1024 * 1024, fileTypes, handleFile })
  const { app } = await start(t, [posted, upload])
  const send = async (url: string, type: string, payload: string | Buffer) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/api${url}`,
      headers: { ...good, 'content-type': type },
      payload,
    })
    return [answer.statusCode, answer.json<{ text?: string; detail?: string }>()] as const
  }
  // U+0000, invalid UTF-8 and a lone surrogate are bytes like others.
  const bytes = Buffer.from([0, 0xff, 0xed, 0xa0, 0x80])
  assert.deepEqual(await send('/files', 'application/pdf', bytes), [200, { text: 'application/pdf 5' }])
  const large = Buffer.alloc(1_500_000)
  assert.deepEqual(await send('/files', 'text/csv; charset=utf-8', large), [
    200,
    { text: 'text/csv; charset=utf-8 1500000' },
  ])
  const [tooLarge, { detail }] = await send('/files', 'text/csv', Buffer.alloc(2 * 1024 * 1024 + 1))
  assert.deepEqual([tooLarge, detail], [413, 'The body is above 2 MiB.'])
  const [status, json] = await send('/files', 'application/json', JSON.stringify({ text: 'x'.repeat(1024 * 1024) }))
  assert.deepEqual([status, json.detail], [413, 'The body is above 1 MiB.'])
  const [refused, answer] = await send('/files', 'image/png', bytes)
  assert.deepEqual(
    [refused, answer.detail],
    [415, 'Send application/json or text/csv or application/pdf, and name it in Content-Type.'],
  )
  const [elsewhere] = await send('/things', 'application/pdf', bytes)
  assert.equal(elsewhere, 415)
  const { handleFile: _, ...half } = upload
  await assert.rejects(buildServer(t, [{ endpoints: [{ ...half, url: '/other' }] }]), /must be set together/)
})
