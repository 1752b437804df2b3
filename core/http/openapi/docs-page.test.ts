import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import v8 from 'node:v8'
import vm from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'
import { DATA_POLICY } from '../problem/security-headers.ts'
import { buildServer } from '../testing/build-server.ts'
import { sendRaw } from '../testing/raw-request.ts'
import { openApiRoutes } from './routes.ts'

const route = (url: string) =>
  endpoint({
    method: 'GET',
    url,
    summary: 'Sample.',
    authz: { kind: 'bearer' },
    response: { 200: Type.String() },
    handle: async () => '',
  })
const catalog: readonly MountedEndpoint[] = [
  { plugin: 'sample', wiring: 'ready', prefix: '/api', endpoint: route('/seen') },
  { plugin: 'sample', wiring: 'hidden', prefix: '/api', endpoint: route('/hidden') },
]
const routes = openApiRoutes({ catalog, version: '1.2.3', summaries: new Map() })
// The routes are mounted below /api, like those of a plugin.
const { app, lines } = await buildServer(test, [{ endpoints: [], pages: routes }])
const files = ['/openapi.json', '/docs/prepare.js', '/docs/start.js', '/docs/scalar.js', '/favicon.ico']
const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: `/api${path}`, headers })

const collect = (): number => {
  v8.setFlagsFromString('--expose-gc')
  ;(vm.runInNewContext('gc') as () => void)()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('UXM19: / leads to /docs unless the console is there, and a program to the document', async (t) => {
  const answer = await get('/')
  assert.deepEqual([answer.statusCode, answer.headers.location, answer.body], [302, '/docs', ''])
  assert.equal((await get('/', { accept: 'application/json' })).headers.location, '/openapi.json')
  const home = openApiRoutes({ catalog, version: '1.2.3', summaries: new Map(), hasHome: true })
  const other = await buildServer(t, [{ endpoints: [], pages: home }])
  // Below /api a path without a route requires a bearer first.
  assert.equal((await other.app.inject('/api/')).statusCode, 401)
})

test('UXM19: the script of /docs costs the process less than 10 MB', async () => {
  await get('/docs')
  const before = collect()
  assert.equal((await get('/docs/scalar.js', { 'accept-encoding': 'gzip' })).statusCode, 200)
  const grown = collect() - before
  assert.ok(grown < 10e6, `${Math.round(grown / 1e6)} MB`)
})

test('UXM19: /docs runs scripts of its own server only, and styles with the nonce of the answer', async () => {
  const answer = await get('/docs')
  const policy = String(answer.headers['content-security-policy'])
  const [, nonce] = /style-src 'nonce-([\w-]{22})'/.exec(policy) ?? []
  assert.ok(nonce !== undefined, policy)
  assert.doesNotMatch(policy, /unsafe-(?!hashes)|https?:|\*/)
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ])
    assert.ok(policy.split('; ').includes(directive), directive)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.ok(answer.body.includes(`<meta property="csp-nonce" content="${nonce}">`))
  assert.ok(answer.body.includes(`<style nonce="${nonce}">`))
  assert.doesNotMatch(answer.body, /https?:|<script>|style=| on[a-z]+=/)
  assert.match(answer.body, /<a href="\/">/)
  assert.notEqual((await get('/docs')).body, answer.body)
})

test('UXM19: /docs loads no file that is not served', async () => {
  const { body } = await get('/docs')
  const paths = [...body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.deepEqual(paths.toSorted(), files.toSorted())
  for (const path of files) {
    const { statusCode, headers } = await get(path)
    assert.equal(statusCode, 200, path)
    assert.equal(headers['content-security-policy'], DATA_POLICY, path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
  }
  const types = await Promise.all(files.map(async (path) => (await get(path)).headers['content-type']))
  const javascript = 'text/javascript; charset=utf-8'
  const expected = ['application/json; charset=utf-8', javascript, javascript, javascript, 'image/x-icon']
  assert.deepEqual(types, expected)
})

test('UXM19: the document holds no route of a hidden part', async () => {
  const { paths } = (await get('/openapi.json')).json<{ paths: object }>()
  assert.deepEqual(Object.keys(paths), ['/api/seen'])
})

test('UXM19: files of /docs are validated by their ETag and by no other', async () => {
  for (const path of files) {
    const { headers } = await get(path)
    const etag = String(headers['etag'])
    assert.match(etag, /^W\/"[\w-]{22}"$/, path)
    assert.equal(headers['cache-control'], 'no-cache', path)
    for (const value of [etag, etag.slice(2), '*', `"x", ${etag} ,"y"`]) {
      const kept = await get(path, { 'if-none-match': value })
      assert.deepEqual([kept.statusCode, kept.body, kept.headers['etag']], [304, '', etag], `${path} ${value}`)
    }
    for (const value of ['', 'x', '"x"', etag.slice(3, -1), `${etag}x`, '"*"', ',', 'W/', '"'.repeat(5000)])
      assert.equal((await get(path, { 'if-none-match': value })).statusCode, 200, `${path} ${value}`)
  }
})

test('UXM19: the script is compressed for clients that take gzip, and equal for the others', async () => {
  const plain = (await get('/docs/scalar.js')).rawPayload
  for (const value of ['gzip', 'br, gzip', 'GZIP;q=0.5', 'br;q=1 ,gzip ; q=1.0']) {
    const { headers, rawPayload } = await get('/docs/scalar.js', { 'accept-encoding': value })
    assert.deepEqual([headers['content-encoding'], headers['vary']], ['gzip', 'accept-encoding'], value)
    assert.ok(rawPayload.length < 2_000_000)
    // Not by deepEqual: printing the difference of two large buffers takes minutes and gigabytes.
    assert.ok(gunzipSync(rawPayload).equals(plain), value)
  }
  for (const value of ['', 'gzip;q=0', 'gzip; Q=0.000, br', 'xgzip', 'gzipx', '*', ',;=', 'identity']) {
    const { headers, rawPayload } = await get('/docs/scalar.js', { 'accept-encoding': value })
    assert.equal(headers['content-encoding'], undefined, value)
    assert.equal(rawPayload.length, plain.length, value)
  }
})

test('X5: other methods of the public paths are 405 with Allow, without a bearer and whatever the body is', async () => {
  for (const path of [...files, '/docs'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const) {
      const { statusCode, headers } = await app.inject({
        method,
        url: `/api${path}`,
        headers: { 'content-type': 'application/x-unknown' },
        body: '\0'.repeat(1000),
      })
      assert.deepEqual([statusCode, headers['allow']], [405, 'GET, HEAD'], `${method} ${path}`)
      assert.equal(headers['content-security-policy'], DATA_POLICY)
    }
  // A path below /api without a route for the method requires a bearer first.
  for (const method of ['PROPFIND', 'MKCOL', 'REPORT']) {
    const { statusCode, headers } = await app.inject({
      method: method as 'OPTIONS',
      url: '/api/docs?x=1',
      headers: { authorization: 'Bearer token' },
    })
    assert.deepEqual([statusCode, headers['allow']], [405, 'GET, HEAD'], method)
  }
  const head = await app.inject({ method: 'HEAD', url: '/api/openapi.json' })
  const body = await get('/openapi.json')
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  assert.equal(head.headers['content-length'], body.headers['content-length'])
})

test('X5: paths beside the public ones are not served, and none is repeated in an answer', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const port = (app.server.address() as AddressInfo).port
  for (const path of [
    '/docs/',
    '/docs//scalar.js',
    '/DOCS',
    '/docs/scalar.js/',
    '/docs/scalar.js%00',
    '/docs/scalar.js.gz',
    '/docs/%2e%2e/openapi.json',
    '/docs/..%2fopenapi.json',
    '/docs/../../package.json',
    '/docs/constructor',
    '/docs/__proto__',
    '/favicon.ico/x',
    '/openapi.json;x=<script>',
    `/docs/${'x'.repeat(5000)}`,
  ]) {
    // Sent raw, since an HTTP client resolves the dots.
    const request = sendRaw(port, `GET /api${path} HTTP/1.1\nHost: localhost\nConnection: close`)
    const status = await request.status
    await request.closed
    assert.ok(status === 401 || status === 404, `${path}: ${status}`)
    assert.match(request.text(), /content-type: application\/problem\+json/, path)
    assert.doesNotMatch(request.text(), /script>|x{100}/, path)
  }
  const marked = await get('/docs?"><script>alert(1)</script>&access_token=secret')
  assert.equal(marked.statusCode, 200)
  assert.doesNotMatch(marked.body, /alert|secret/)
  assert.ok(!lines.some((line) => line.includes('failed unexpectedly')))
})
