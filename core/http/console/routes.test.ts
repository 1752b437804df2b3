import assert from 'node:assert/strict'
import test from 'node:test'
import { buildServer } from '../testing/build-server.ts'
import { consoleFiles } from './console-files.ts'
import { CONSOLE_POLICY, consoleRoutes } from './routes.ts'

// Mounted below /api, like the routes of a plugin. The first request builds the console from the sources.
const { app } = await buildServer(test, [{ endpoints: [], pages: consoleRoutes(['/feedback']) }])
const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: `/api${path}`, headers })

test('each address of the console is the same page, under a policy without inline scripts and markup', async () => {
  const pages = await Promise.all(['/console', '/feedback', '/feedback/x/y'].map((path) => get(path)))
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
})

test('files are compressed, and a browser never asks for one twice', async () => {
  const { body } = await get('/console')
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

test('the first load is below 150 KB, and the code of a page is a file of its own', async () => {
  const files = [...(await consoleFiles())].filter(([path]) => path.endsWith('.js'))
  const own = files.filter(([path]) => /feedback/.test(path))
  const others = files.filter(([path]) => !/feedback/.test(path))
  assert.equal(own.length, 1)
  const bytes = others.reduce((sum, [, { body }]) => sum + body.length, 0)
  assert.ok(bytes < 150 * 1024, `${bytes} bytes`)
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
