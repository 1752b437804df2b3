import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { text } from 'node:stream/consumers'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import { sendRaw } from '#core/http/testing/raw-request.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { serveConsole } from './console-server.ts'
import type { ConsoleTarget } from './pass-request.ts'

const page = '<!doctype html><title>built</title>'

test('a folder is served as a console: its files, and its page at each other address', async (t) => {
  const { get, url } = await openFolder(t)
  for (const path of ['/', '/runs', '/agents/default/my.agent', '/index.html', '/agents?x=/../y']) {
    const response = await get(path)
    assert.deepEqual([response.status, await response.text()], [200, page], path)
    assert.equal(response.headers.get('content-security-policy'), CONSOLE_POLICY)
    assert.equal(response.headers.get('cache-control'), 'no-cache')
  }
  const script = await get('/assets/main%20a.js')
  assert.deepEqual([script.headers.get('content-type'), await script.text()], ['text/javascript; charset=utf-8', 'x()'])
  assert.equal(script.headers.get('x-content-type-options'), 'nosniff')
  const etag = String(script.headers.get('etag'))
  assert.equal((await get('/assets/main%20a.js', { 'if-none-match': etag })).status, 304)
  const head = await fetch(`${url}/`, { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text()], [200, ''])
  for (const path of ['/assets/other.js', '/assets', '/missing.css', '/assets/..js'])
    assert.equal((await get(path)).status, 404, path)
  // A program that asks for JSON may have forgotten /api.
  assert.equal((await get('/runs', { accept: 'application/json' })).status, 404)
  const posted = await fetch(`${url}/runs`, { method: 'POST', body: 'x' })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
})

test('nothing outside the folder is served, and odd targets are refused', async (t) => {
  const { get, status } = await openFolder(t)
  for (const path of ['/out.txt', '/up/secret.txt', '/loop.js', '/.env', '/assets/.env']) {
    const response = await get(path)
    assert.equal(response.status, 404, path)
    assert.doesNotMatch(await response.text(), /s3cret/)
  }
  // A link within the folder is one of its files.
  assert.equal(await (await get('/in.txt')).text(), 'x()')
  for (const target of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/\\..\\secret.txt',
    '/%00',
    '/assets/main.js%00.txt',
    '/%ff',
    '/%',
    '//etc/passwd',
    'http://127.0.0.1/secret.txt',
    '*',
  ])
    assert.equal(await status(`GET ${target}`), 400, target)
  assert.equal(await status(`GET /${'a'.repeat(9_000)}`), 200)
  assert.equal(await status(`GET /${'a'.repeat(9_000)}.js`), 404)
})

test('other hosts, origins and pages are refused, before anything is read or passed', async (t) => {
  const { status, url } = await openFolder(t)
  const { port } = new URL(url)
  const local = `Host: 127.0.0.1:${port}`
  for (const headers of [
    'Host: evil.example',
    `Host: evil.example:${port}`,
    `${local}\nHost: evil.example`,
    `${local}\nOrigin: https://evil.example`,
    `${local}\nOrigin: http://127.0.0.1:1`,
    `${local}\nOrigin: null`,
    `${local}\nSec-Fetch-Site: cross-site`,
    `${local}\nSec-Fetch-Site: same-site`,
  ])
    for (const line of ['GET /', 'GET /session', 'GET /api/agents', 'POST /api/invoke', 'DELETE /session'])
      assert.ok([400, 403].includes(await status(line, headers)), `${line} ${headers}`)
  assert.equal(await status('GET /', `Host: localhost:${port}\nOrigin: http://localhost:${port}`), 200)
})

test('the session is that of one fixed caller, who neither signs in nor out', async (t) => {
  const { get, url } = await openFolder(t)
  const response = await get('/session')
  const { session, ended, signIn } = (await response.json()) as Record<string, Record<string, unknown>>
  assert.deepEqual([session?.['username'], session?.['personas'], ended, signIn], ['admin', [], null, noSignIn])
  assert.ok(Date.parse(String(session?.['idleEndsAt'])) > Date.now())
  assert.equal(response.headers.get('cache-control'), 'no-store')
  for (const [method, path] of [
    ['POST', '/session'],
    ['DELETE', '/session'],
    ['DELETE', '/session/all'],
    ['PUT', '/session/persona'],
    ['POST', '/session/codes'],
  ] as const) {
    const refused = await fetch(`${url}${path}`, { method })
    assert.equal(refused.status, 405)
    assert.match(await refused.text(), /one fixed caller/)
  }
})

test('requests of the API have the bearer of the caller alone, and streams pass while they are open', async (t) => {
  const seen: string[] = []
  const bff = createServer(async (request, response) => {
    const body = await text(request)
    seen.push(`${request.method} ${request.url} ${body} ${JSON.stringify(request.rawHeaders)}`)
    response.writeHead(request.method === 'DELETE' ? 409 : 200, { 'set-cookie': 'a=b', 'x-own': 'yes' })
    if (request.url === '/api/events') response.write('data: 1\n\n')
    else response.end(body)
  })
  const { url, state, status } = await openFolder(t)
  assert.equal((await fetch(`${url}/api/agents`)).status, 502)
  state.target = { url: await listen(t, bff), bearer: 'b3arer', onRun: async () => undefined }
  const headers = { authorization: 'Bearer other', cookie: 'mesh=x', origin: url, 'sec-fetch-site': 'same-origin' }
  const posted = await fetch(`${url}/api/a%2Fb?c=%20d`, { method: 'POST', headers, body: '{"a":"\u0000é"}' })
  assert.deepEqual([posted.status, await posted.text()], [200, '{"a":"\u0000é"}'])
  assert.deepEqual([posted.headers.get('x-own'), posted.headers.get('set-cookie')], ['yes', null])
  assert.match(seen[0] ?? '', /^POST \/api\/a%2Fb\?c=%20d \{"a"/)
  assert.match(seen[0] ?? '', /Bearer b3arer/)
  assert.doesNotMatch(seen[0] ?? '', /other|cookie|origin|sec-fetch/i)

  const open = await fetch(`${url}/api/events`)
  const first = await open.body?.getReader().read()
  assert.equal(Buffer.from(first?.value ?? []).toString(), 'data: 1\n\n')

  // A body of chunks stays one, so that no part of it is read as a further request.
  const smuggled = 'GET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  const chunks = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
  const head = `Host: 127.0.0.1\nTransfer-Encoding: chunked\nConnection: close, x-hop\nX-Hop: 1`
  assert.equal(await status('DELETE /api/x', head, chunks), 409)
  assert.equal(seen.length, 3)
  assert.match(seen[2] ?? '', /^DELETE \/api\/x GET \/api\/smuggled/)
  assert.doesNotMatch(seen[2] ?? '', /x-hop/i)
})

test('it reports the runs that requests start or resume, and no others', async (t) => {
  const bff = createServer((request, response) => {
    const { method, url = '' } = request
    request.resume()
    if (url === '/api/invoke') response.setHeader('x-mesh-run-id', 'invoked')
    if (url === '/api/runs') response.setHeader('location', '/api/runs/created')
    if (url === '/api/agents') response.setHeader('location', '/api/agents/default/bot')
    response.writeHead(url.startsWith('/api/runs/refused') ? 409 : method === 'POST' ? 201 : 200).end('{}')
  })
  const { url, state } = await openFolder(t)
  const seen: string[] = []
  state.target = { url: await listen(t, bff), bearer: 'b3arer', onRun: async (id) => void seen.push(id) }
  for (const path of ['invoke', 'runs', 'agents', 'runs/paused/resume', 'runs/refused/resume', 'runs/other/cancel'])
    await (await fetch(`${url}/api/${path}`, { method: 'POST', body: '{}' })).text()
  await (await fetch(`${url}/api/invoke`)).text()
  assert.deepEqual(seen, ['invoked', 'created', 'paused'])
})

const noSignIn = { code: false, oidc: null }

async function openFolder(t: TestContext) {
  const folder = tempFolder('console')
  const root = join(folder.path, 'dist')
  mkdirSync(join(root, 'assets'), { recursive: true })
  writeFileSync(join(folder.path, 'secret.txt'), 's3cret')
  writeFileSync(join(root, '.env'), 's3cret')
  writeFileSync(join(root, 'index.html'), page)
  writeFileSync(join(root, 'assets', 'main a.js'), 'x()')
  symlinkSync('../secret.txt', join(root, 'out.txt'))
  symlinkSync('..', join(root, 'up'))
  symlinkSync('loop.js', join(root, 'loop.js'))
  symlinkSync('assets/main a.js', join(root, 'in.txt'))
  const state: { target?: ConsoleTarget } = {}
  const server = await serveConsole({ port: 0, folder: root, target: () => state.target })
  t.after(async () => {
    await server.close()
    folder.remove()
  })
  const { url } = server
  return {
    url,
    state,
    get: (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers }),
    /** Status of a request whose target no client normalizes. */
    status: async (line: string, headers = 'Host: 127.0.0.1', body = '') => {
      const sent = sendRaw(Number(new URL(url).port), `${line} HTTP/1.1\n${headers}`, body)
      return sent.status.finally(() => sent.socket.destroy())
    },
  }
}
