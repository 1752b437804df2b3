import assert from 'node:assert/strict'
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { connect as connectTls } from 'node:tls'
import { loadCertificate } from '../wire/certificate.ts'
import { createListener } from '../wire/listener.ts'
import { ADMIN, WIDGETS, startTestServer, widget } from './test-server.ts'
import type { TestServer } from './test-server.ts'

/** Sends bytes as they are and returns all that came back until the server closed. */
async function raw(port: number, bytes: string | Buffer, secure = false): Promise<string> {
  const socket = secure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

const AUTH = `Authorization: Bearer ${ADMIN}`
const HEAD = `Host: localhost\r\n${AUTH}\r\nConnection: close\r\n`

async function alive(server: TestServer): Promise<void> {
  assert.equal((await server.call('GET', WIDGETS)).code, 200)
}

test('SEC2, F1: a warning of any character is sent, as the bytes of kube-apiserver, and never ends the process', async (t) => {
  const server = await startTestServer(t)
  const fields = { 中: 1, '😀': 1, 'a"b\\c': 1, 'a\nb': 1, 'a\u0000b': 1, '\ud800': 1 }
  const { code, headers } = await server.call('POST', `${WIDGETS}?dryRun=All`, { ...widget('a'), ...fields })
  assert.equal(code, 201)
  const sent = Buffer.from(headers.get('warning') ?? '', 'latin1').toString()
  for (const shown of ['unknown field \\"中\\"', '😀', 'a\\"b\\\\c', '\ufffd'])
    assert.ok(sent.includes(shown), `${shown} in ${sent}`)
  assert.ok(!sent.includes('\n') && !sent.includes('\u0000'))
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '中' }
  const twice = await server.call('POST', WIDGETS, widget('b', 1, { ownerReferences: [owner, owner] }))
  assert.equal(twice.code, 201)
  await alive(server)
})

test('SEC2: many and long warnings are cut to about 4 KiB, which every client can read', async (t) => {
  const server = await startTestServer(t)
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field${i}${'x'.repeat(i % 40)}`, 1]))
  for (const fields of [many, { ['y'.repeat(100_000)]: 1, z: 1 }, { ['中'.repeat(100_000)]: 1, z: 1 }]) {
    const { code, headers } = await server.call('POST', `${WIDGETS}?dryRun=All`, { ...widget('a'), ...fields })
    assert.equal(code, 201)
    const length = headers.get('warning')?.length ?? 0
    assert.ok(length > 100 && length < 12_000, `${length} bytes of warnings`)
  }
})

test('F1: no target, method, header or body ends the process or stays without an answer', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const targets = [
    '//',
    '*',
    '/%',
    '/%ff',
    '/api/v1/namespaces/%00',
    '/api/v1//',
    'http://localhost/version',
    'http://[',
    '/?%',
    '/api/v1/pods?labelSelector=%ff&watch=%',
    '/apis/mesh.dev/v1alpha1/namespaces/../widgets',
    '/version?pretty=中'.replace('中', '%E4'),
  ]
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'HEAD'])
    for (const target of targets)
      assert.match(
        await raw(server.port, `${method} ${target} HTTP/1.1\r\n${HEAD}\r\n`),
        /^HTTP\/1\.1 \d{3} /,
        `${method} ${target}`,
      )
  assert.match(await raw(server.port, `CONNECT localhost:1 HTTP/1.1\r\n${HEAD}\r\n`), /^HTTP\/1\.1 405 /)
  const bodies = [
    '['.repeat(1_000_000),
    '{"a":'.repeat(100_000),
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"\\u0000"}}',
    '{"metadata":{"name":"\\ud800"}}',
    '"\\ud800"',
    '',
    'null',
    '{"__proto__":{"a":1}}',
    '{"apiVersion":{},"kind":[]}',
  ]
  for (const type of [
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/apply-patch+yaml',
    'application/strategic-merge-patch+json',
  ])
    for (const body of bodies)
      for (const line of [
        'POST /api/v1/namespaces/default/configmaps',
        'PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=x',
        'PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/a',
        'DELETE /api/v1/namespaces/default/configmaps/a',
        'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        'POST /api/v1/namespaces/default/serviceaccounts/default/token',
      ]) {
        const request = `${line} HTTP/1.1\r\n${HEAD}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        const answer = await raw(server.port, request)
        assert.match(answer, /^HTTP\/1\.1 [24]\d\d /, `${line} ${type} ${body.slice(0, 60)}: ${answer.slice(0, 300)}`)
      }
  await alive(server)
})

test('SEC13: under a foreign Host nothing is read, not even what needs no bearer', async (t) => {
  const server = await startTestServer(t)
  for (const path of ['/version', '/readyz', WIDGETS])
    for (const host of ['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example', ''])
      assert.match(
        await raw(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${AUTH}\r\nConnection: close\r\n\r\n`),
        /^HTTP\/1\.1 421 /,
        `${host}${path}`,
      )
  const absolute = await raw(server.port, `GET http://evil.example/version HTTP/1.1\r\n${HEAD}\r\n`)
  assert.match(absolute, /^HTTP\/1\.1 421 /)
  for (const host of ['localhost', `127.0.0.1:${server.port}`, `[::1]:${server.port}`, 'LOCALHOST:1'])
    assert.match(
      await raw(server.port, `GET /version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 200 /,
      host,
    )
})

test('SEC16, F3: a head, a body or a handshake that never ends is cut, with and without TLS', async (t) => {
  const { dataDir } = await startTestServer(t)
  const certificate = loadCertificate(join(dataDir, 'serving.json'), new Date())
  // A head that arrived late on a busy machine would be cut as one that never ends.
  const limits = { headMs: 1_000, requestMs: 2_000 }
  const listener = createListener(certificate, (request) => void request.resume(), limits)
  const port = await listener.listen('127.0.0.1', 0)
  t.after(() => listener.close())
  const unfinished = ['GET / HTTP/1.1\r\nHost: a\r\nX-', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx']
  const cut = [false, true].flatMap((secure) =>
    unfinished.map(async (bytes) =>
      assert.match(await raw(port, bytes, secure), /^HTTP\/1\.1 408 /, `${secure} ${bytes}`),
    ),
  )
  // Nothing at all, and a TLS record that never becomes a handshake.
  const silent = ['', Buffer.from([0x16, 3, 1])].map(async (bytes) => assert.equal(await raw(port, bytes), ''))
  await Promise.all([...cut, ...silent])
})

test('F1: the last resort: when even the answer fails, one connection ends, it is logged, and the server goes on', async (t) => {
  const logged: string[] = []
  const server = await startTestServer(t, { log: (message) => logged.push(message) })
  const { setHeader } = ServerResponse.prototype
  const broken = t.mock.method(ServerResponse.prototype, 'setHeader', function fail(this: ServerResponse) {
    throw new TypeError('ERR_INVALID_CHAR')
  })
  assert.equal(await raw(server.port, `GET /version HTTP/1.1\r\n${HEAD}\r\n`), '')
  broken.mock.restore()
  assert.equal(ServerResponse.prototype.setHeader, setHeader)
  assert.deepEqual(logged, ['request failed unexpectedly'])
  await alive(server)
})

/** Connects, and notes errors of the connection. */
function connectTo(port: number, secure: boolean) {
  const host = '127.0.0.1'
  const socket = secure ? connectTls({ port, host, rejectUnauthorized: false }) : connect(port, host)
  const errors: string[] = []
  socket.on('error', (error) => errors.push(error.message))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  return { socket, errors, closed }
}

for (const secure of [false, true])
  test(`R2-M14: a client that writes 64 MiB before it reads gets a 413 (${secure ? 'TLS' : 'plain'})`, async (t) => {
    const server = await startTestServer(t, { controllers: false })
    const { socket, errors, closed } = connectTo(server.port, secure)
    const size = 64 * 1024 * 1024
    socket.write(`POST ${WIDGETS} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`)
    await new Promise((resolve) => socket.write(Buffer.alloc(size, 0x20), resolve))
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    await closed
    assert.deepEqual(errors, [])
    assert.match(text, /^HTTP\/1\.1 413 [\s\S]*"reason":"RequestEntityTooLarge"/)
    await alive(server)
  })

for (const secure of [false, true])
  test(`R2-M15: a client that writes 4 MiB of header fields before it reads gets a 431 (${secure ? 'TLS' : 'plain'})`, async (t) => {
    const server = await startTestServer(t, { controllers: false })
    const { socket, errors, closed } = connectTo(server.port, secure)
    socket.write(`GET ${WIDGETS} HTTP/1.1\r\n${HEAD}X: `)
    for (let sent = 0; sent < 4; sent += 1)
      await new Promise((resolve) => socket.write(Buffer.alloc(1024 * 1024, 0x78), resolve))
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    await closed
    assert.deepEqual(errors, [])
    assert.match(text, /^HTTP\/1\.1 431 [\s\S]*\r\n\r\n\{"kind":"Status",.*"code":431\}\n$/)
    await alive(server)
  })

test('SEC16, F2: what is too large is answered 413, though its client is still sending', async (t) => {
  const server = await startTestServer(t)
  const send = async (type: string, body: string): Promise<Response> =>
    fetch(`${server.url}${WIDGETS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': type },
      body,
    })
  const large = await send('application/json', ' '.repeat(3 * 1024 * 1024 + 1))
  assert.equal(large.status, 413)
  const tokens = await send('application/yaml', 'a: 1\n'.repeat(20_000))
  assert.equal(tokens.status, 413)
  assert.match(await tokens.text(), /a YAML body holds at most 50000 tokens; send JSON/)
  assert.equal((await send('application/yaml', 'metadata: {name: a, name: b}')).status, 400)
})
