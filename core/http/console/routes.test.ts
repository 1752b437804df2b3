import assert from 'node:assert/strict'
import test from 'node:test'
import { buildServer } from '../testing/build-server.ts'
import { consoleFiles } from './console-files.ts'
import { CONSOLE_POLICY, consoleRoutes } from './routes.ts'

// Mounted below /api, like the routes of a plugin. The first request builds the console from the sources.
const { app } = await buildServer(test, [{ endpoints: [], pages: consoleRoutes(['/', '/feedback']) }])
const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: `/api${path}`, headers })

test('SEC24: each address of the console is the same page, under a policy without inline scripts and markup', async () => {
  const paths = ['/', '/sign-in', '/feedback', '/feedback/x/y', '/shared/token']
  const pages = await Promise.all(paths.map((path) => get(path)))
  for (const { statusCode, headers, body } of pages) {
    assert.deepEqual([statusCode, body], [200, pages[0]?.body])
    assert.equal(headers['content-security-policy'], CONSOLE_POLICY)
    assert.equal(headers['cache-control'], 'no-cache')
    assert.match(String(headers['content-type']), /^text\/html/)
  }
  assert.doesNotMatch(
    pages[0]?.body ?? '',
    /<script(?!(?: type="module")? src="\/assets\/(?:main|scheme)-[A-Z0-9]{8}\.js"><)|<style|style=/,
  )
  assert.doesNotMatch(CONSOLE_POLICY, /unsafe|https?:/)
  for (const directive of ["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "default-src 'none'"])
    assert.ok(CONSOLE_POLICY.includes(directive), directive)
})

test('files are compressed, and a browser never asks for one twice', async () => {
  const { body } = await get('/')
  const names = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
  assert.deepEqual(names.map((name) => name.split('.').at(-1)).toSorted(), ['css', 'js', 'js', 'woff2', 'woff2'])
  for (const name of [...(await consoleFiles()).keys()].filter((path) => path !== '/')) {
    const packed = await get(name, { 'accept-encoding': 'gzip' })
    assert.deepEqual([packed.statusCode, packed.headers['content-encoding']], [200, 'gzip'])
    assert.equal(packed.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(packed.headers['x-content-type-options'], 'nosniff')
    const again = await get(name, { 'if-none-match': String(packed.headers['etag']) })
    assert.deepEqual([again.statusCode, again.body], [304, ''])
  }
})

test('the code of a page is a file of its own', async () => {
  const names = [...(await consoleFiles()).keys()]
  assert.equal(names.filter((path) => /feedback-page-.*\.js$/.test(path)).length, 1)
})

test('the former address leads to /, and a shared page is not indexed', async () => {
  const former = await get('/console')
  assert.deepEqual([former.statusCode, former.headers['location']], [302, '/'])
  const { headers } = await get('/shared/token')
  assert.deepEqual([headers['x-robots-tag'], headers['referrer-policy']], ['noindex', 'no-referrer'])
})

test('a program gets the document of the API at /, and 404 at the address of a page', async () => {
  for (const accept of ['application/json', 'application/problem+json, application/json;q=0.5', 'APPLICATION/JSON']) {
    const home = await get('/', { accept })
    assert.deepEqual(
      [home.statusCode, home.headers['location'], home.headers['vary']],
      [302, '/openapi.json', 'accept'],
    )
    assert.equal((await get('/feedback', { accept })).statusCode, 404)
  }
  for (const accept of ['*/*', 'text/html,application/json', 'application/jsonx', '\u0001', ',;,', '/'.repeat(3000)])
    assert.equal((await get('/', { accept })).statusCode, 200, accept.slice(0, 20))
})

test('other paths, methods and names are refused as everywhere', async () => {
  // Below /api a path without a route requires a bearer first.
  for (const path of ['/feedbacks', '/assets', '/assets/a/b', '/other'])
    assert.equal((await get(path)).statusCode, 401, path)
  for (const name of ['x.js', '..%2f..%2fpackage.json', '%00', '__proto__', 'constructor', 'x'.repeat(1000)])
    assert.equal((await get(`/assets/${name}`)).statusCode, 404, name)
  const posted = await app.inject({ method: 'POST', url: '/api/feedback' })
  assert.deepEqual([posted.statusCode, posted.headers['allow']], [405, 'GET, HEAD'])
})
