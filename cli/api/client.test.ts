import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { loadCertificate } from '@mesh.dev/embedded-apiserver/certificate'
import { runCli } from '#cli/testing/run-cli.ts'
import { freePort } from '#test/harness/free-port.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const runId = '019a0000-0000-7000-8000-000000000000'

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body))
}

async function serve(t: TestContext, listener: RequestListener): Promise<Readonly<Record<string, string>>> {
  return { MESH_SERVER: await listen(t, createServer(listener)), MESH_TOKEN: 'token-of-a-test' }
}

test('a list is read page by page, with token, namespace and filters, up to --limit', async (t) => {
  const asked: string[] = []
  const env = await serve(t, ({ url = '', headers }, response) => {
    asked.push(url)
    assert.deepEqual([headers.authorization, headers['user-agent']], ['Bearer token-of-a-test', 'meshctl/0.0.0'])
    const { searchParams } = new URL(url, 'http://x')
    const size = Number(searchParams.get('limit'))
    const items = Array.from({ length: size }, (_, index) => ({ id: `${asked.length}-${index}` }))
    json(response, 200, { items, nextCursor: asked.length === 1 ? 'c/=' : 'd' })
  })
  const args = ['feedback', 'list', '-n', 'team a&b', '--run', runId, '--limit', '250', '-o', 'name']
  const { code, out, err } = await runCli(args, { env })
  assert.deepEqual([code, err], [0, 'These are the first 250; --limit shows more.\n'])
  assert.deepEqual(asked, [
    `/api/feedback?namespace=team+a%26b&runId=${runId}&limit=200`,
    `/api/feedback?namespace=team+a%26b&runId=${runId}&limit=50&cursor=c%2F%3D`,
  ])
  assert.equal(out.split('\n').length, 251)
  await runCli(['feedback', 'list', '-A', '--limit', '1'], { env })
  assert.equal(asked.at(-1), '/api/feedback?scope=permitted&limit=1')
})

test('a problem document is one line: detail, status, code and trace, before what to do; a response of something else names the server', async (t) => {
  let respond: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const env = await serve(t, (request, response) => respond(request, response))
  const server = env['MESH_SERVER']
  const run = async (status: number, body: unknown) => {
    respond = (_, response) => json(response, status, body)
    const { code, out, err } = await runCli(['runs', 'get', runId], { env })
    assert.deepEqual([code, out], [1, ''])
    return err
  }
  const problem = { detail: 'no \u001b[31mred\u009b\u202e text', code: 'forbidden', traceId: 'abc', retryable: false }
  assert.equal(
    await run(403, problem),
    String.raw`meshctl: no \u001b[31mred\u009b\u202e text (403, forbidden, trace abc)` +
      '\nAsk for the right, or use the context of another user (--context).\n',
  )
  assert.match(await run(503, { ...problem, retryable: true }), /\(503, forbidden, trace abc\)\nTry again\.\n$/)
  assert.match(
    await run(401, problem),
    /refused the token of MESH_TOKEN: it is not valid \(401\)\nSign in to the cluster/,
  )
  const title = `the response to GET /api/runs/${runId}`
  for (const [status, body] of [
    [404, '<html>'],
    [500, null],
    [502, {}],
    [302, problem],
  ] as const)
    assert.match(
      await run(status, body),
      new RegExp(`^meshctl: ${server}/ is not the API of mesh: ${title} has the status ${status}`),
    )
  respond = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
  assert.match((await runCli(['runs', 'get', runId], { env })).err, / has the status 200, text\/html\nCheck the/)
  respond = (_, response) => response.writeHead(200).end('x'.repeat(17 * 1024 * 1024))
  assert.match((await runCli(['runs', 'get', runId], { env })).err, /response above 16777216 bytes/)
})

test('an expired token is named with the time of its end', async (t) => {
  const env = await serve(t, (_, response) => json(response, 401, {}))
  const claims = Buffer.from(JSON.stringify({ exp: 1_700_000_000 })).toString('base64url')
  const { code, err } = await runCli(['runs', 'list'], { env: { ...env, MESH_TOKEN: `e30.${claims}.x` } })
  assert.equal(code, 1)
  assert.match(err, /refused the token of MESH_TOKEN: it expired at 2023-11-14T22:13:20\.000Z \(401\)\n/)
  assert.ok(!err.includes(claims))
})

test('a server that cannot be reached, is silent, or has another certificate, is one clear line', async (t) => {
  const port = await freePort()
  const away = { MESH_SERVER: `http://127.0.0.1:${port}`, MESH_TOKEN: 'token-of-a-test' }
  const refused = await runCli(['runs', 'list'], { env: away })
  assert.deepEqual(refused, {
    code: 1,
    out: '',
    err: `meshctl: http://127.0.0.1:${port} refused the connection\nCheck the address: MESH_SERVER, or that of the context, which meshctl context list shows.\n`,
  })
  const silent = await serve(t, () => undefined)
  const waited = await runCli(['runs', 'list', '--timeout', '1'], { env: silent })
  assert.deepEqual([waited.code, waited.out], [1, ''])
  assert.match(waited.err, /does not respond within 1 s\nTry again later; [^\n]+\n$/)
  const cut = await serve(t, ({ socket }) => socket.destroy())
  assert.match((await runCli(['runs', 'list'], { env: cut })).err, /^meshctl: http:\/\/127\.0\.0\.1:\d+(?:: | closed)/)
})

test('a private certificate is accepted with its authority only', async (t) => {
  const folder = tempFolder('meshctl')
  t.after(() => folder.remove())
  const file = (name: string): string => join(folder.path, name)
  const { key, certificate } = loadCertificate(file('own.pem'), new Date())
  writeFileSync(file('ca.pem'), certificate)
  writeFileSync(file('other.pem'), loadCertificate(file('another.pem'), new Date()).certificate)
  const server = createTlsServer({ key, cert: certificate }, (_, response) =>
    json(response, 200, { items: [], nextCursor: null }),
  )
  const env = { MESH_SERVER: (await listen(t, server)).replace('http:', 'https:'), MESH_TOKEN: 'token-of-a-test' }
  const run = (...args: readonly string[]) => runCli(['runs', 'list', ...args], { env })
  for (const args of [[], ['--certificate-authority', file('other.pem')]]) {
    const { code, err } = await run(...args)
    assert.equal(code, 1)
    assert.match(
      err,
      /^meshctl: https:\/\/127\.0\.0\.1:\d+: TLS failed \([A-Z_]+\)\nmeshctl context set --server URL --certificate-authority FILE names/,
    )
  }
  assert.deepEqual(await run('--certificate-authority', file('ca.pem')), { code: 0, out: '', err: '' })
  assert.match((await run('--certificate-authority', file('none.pem'))).err, /none\.pem: cannot be read \(ENOENT\)/)
  assert.ok(readFileSync(file('ca.pem'), 'utf8').includes('CERTIFICATE'))
})

test('an id is one segment of a path, whatever its characters are', async (t) => {
  const asked: (string | undefined)[] = []
  const env = await serve(t, ({ url }, response) => {
    asked.push(url)
    json(response, 404, { detail: 'The run does not exist.', code: 'not_found' })
  })
  for (const id of ['a/../b', 'x?y=1', 'é\0%2e']) await runCli(['runs', 'get', id], { env })
  assert.deepEqual(asked, ['/api/runs/a%2F..%2Fb', '/api/runs/x%3Fy%3D1', '/api/runs/%C3%A9%00%252e'])
  for (const id of ['..', '.', '\ud800']) {
    const { code, err } = await runCli(['runs', 'get', id], { env })
    assert.deepEqual([code, asked.length], [1, 3])
    assert.match(err, /^meshctl: "[^"]+" is no name\nA name is not empty, and has more than dots\.\n$/)
  }
})
