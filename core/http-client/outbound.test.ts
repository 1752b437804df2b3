import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { OutboundError, describeReason, outboundReason } from './outbound-error.ts'
import { createOutbound } from './outbound.ts'
import type { OutboundRequest } from './outbound-request.ts'

async function listen(t: TestContext, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** An HTTP server that records its requests. */
async function serve(t: TestContext, answer: RequestListener, host?: string) {
  const seen: IncomingMessage[] = []
  let connections = 0
  const server = createHttpServer((request, response) => {
    seen.push(request)
    answer(request, response)
  }).on('connection', () => connections++)
  return { port: await listen(t, server, host), seen, connections: () => connections }
}

function open(t: TestContext, options: Parameters<typeof createOutbound>[0]) {
  const outbound = createOutbound(options)
  t.after(() => outbound.close())
  return outbound
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'answered'
  } catch (error) {
    assert.ok(error instanceof OutboundError, String(error))
    return error.reason
  }
}

test('SEC9, M-2: a name that answers differently the second time is connected where the first answer was checked', async (t) => {
  const loopback = await serve(t, (_request, response) => response.end('secret'))
  let asked = 0
  const lookup = async () => {
    asked++
    // Public at the check, loopback for a client that resolves again to connect.
    return [{ address: asked % 2 === 1 ? '203.0.113.1' : '127.0.0.1' }]
  }
  const outbound = open(t, { allow: ['203.0.113.0/24'], lookup })
  const url = `http://rebind.example:${loopback.port}/`
  assert.notEqual(await reasonOf(outbound.request({ url, deadlineMs: 300 })), 'answered')
  assert.equal(asked, 1)
  assert.equal(await reasonOf(outbound.request({ url, deadlineMs: 300 })), 'address_refused')
  assert.equal(loopback.seen.length, 0)
})

test('SEC9: a connection is kept and its name is resolved once; the Host header stays the name', async (t) => {
  const server = await serve(t, (_request, response) => response.end('ok'))
  let asked = 0
  const lookup = async () => (asked++, [{ address: '127.0.0.1' }])
  const outbound = open(t, { allow: ['models.example'], lookup })
  const url = `http://models.example:${server.port}/v1`
  const connections = outbound.open({ connections: 1 })
  t.after(() => connections.destroy())
  for (let i = 0; i < 5; i++) {
    const { body } = await connections.request({ origin: new URL(url).origin, path: '/v1', method: 'GET' })
    assert.equal(await body.text(), 'ok')
  }
  assert.deepEqual([asked, server.connections()], [1, 1])
  assert.equal(server.seen[0]?.headers.host, `models.example:${server.port}`)
})

test('SEC9: an IPv6 literal is checked although sockets do not look it up', async (t) => {
  const server = await serve(t, (_request, response) => response.end('six'), '::1')
  const url = `http://[::1]:${server.port}/`
  assert.equal(await reasonOf(open(t, { allow: [] }).request({ url })), 'address_refused')
  assert.equal((await open(t, { allow: ['::1'] }).request({ url })).body.toString(), 'six')
  assert.equal(server.seen.length, 1)
})

test('SEC9, M-2: redirects are followed only when asked, at most three, each checked, without credentials across origins', async (t) => {
  const inside = await serve(t, (_request, response) => response.end('inside'))
  const outside = await serve(t, (request, response) => {
    const [, kind, left] = (request.url ?? '').split('/')
    const to = {
      own: `http://127.0.0.2:${inside.port}/`,
      decimal: `http://2130706434:${inside.port}/`,
      other: `http://localhost:${inside.port}/`,
      file: 'file:///etc/passwd',
      loop: `/loop/${Number(left) + 1}`,
    }[kind ?? '']
    response.writeHead(302, { location: to ?? '/' }).end()
  })
  const outbound = open(t, { allow: ['127.0.0.1', 'localhost'] })
  const ask = (kind: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({
      url: `http://127.0.0.1:${outside.port}/${kind}/0`,
      headers: { authorization: 'Bearer k', 'x-a': '1' },
      ...more,
    })
  assert.equal((await ask('own')).status, 302)
  assert.equal(await reasonOf(ask('own', { redirects: 3 })), 'address_refused')
  assert.equal(await reasonOf(ask('decimal', { redirects: 3 })), 'address_refused')
  assert.equal(await reasonOf(ask('file', { redirects: 3 })), 'invalid_url')
  assert.equal(inside.seen.length, 0)
  const before = outside.seen.length
  assert.equal(await reasonOf(ask('loop', { redirects: 99 })), 'redirect_refused')
  assert.equal(outside.seen.length - before, 4)
  assert.equal((await ask('other', { redirects: 1 })).body.toString(), 'inside')
  assert.deepEqual([inside.seen[0]?.headers.authorization, inside.seen[0]?.headers['x-a']], [undefined, '1'])
})

test('SEC9, M-2: answers are bounded in bytes and time', async (t) => {
  const server = await serve(t, (request, response) => {
    if (request.url === '/silent') return
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      response.once('drain', more)
    }
    more()
  })
  const outbound = open(t, { allow: ['127.0.0.1'] })
  const ask = (path: string, more: Partial<OutboundRequest> = {}) =>
    reasonOf(outbound.request({ url: `http://127.0.0.1:${server.port}${path}`, ...more }))
  assert.equal(await ask('/'), 'too_large')
  assert.equal(await ask('/silent', { deadlineMs: 50 }), 'timeout')
})

test('SEC9: failures are classified, and no upstream text is in a message', async (t) => {
  const outbound = open(t, { allow: ['127.0.0.1', 'localhost'] })
  const gone = await serve(t, (request) => request.socket.destroy())
  const closed = await new Promise<number>((resolve) => {
    const server = createHttpServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
  const failure = (url: string) => outbound.request({ url }).then(String, (error: Error) => error.message)
  assert.equal(await failure(`http://127.0.0.1:${closed}/`), `127.0.0.1:${closed}: connection refused`)
  assert.equal(await failure(`http://localhost:${closed}/`), `localhost:${closed}: connection refused`)
  assert.equal(await failure(`http://127.0.0.1:${gone.port}/`), `127.0.0.1:${gone.port}: connection lost`)
  assert.equal(await failure(`https://127.0.0.1:${gone.port}/`), `127.0.0.1:${gone.port}: TLS handshake failed`)
  const errorWith = (code: string) => outboundReason(Object.assign(new Error('secret'), { code }))
  assert.deepEqual(
    ['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'X'].map(errorWith),
    ['name_not_found', 'name_not_found', 'unreachable', 'timeout', 'tls_error', 'failed'],
  )
  assert.equal(describeReason('tls_error'), 'TLS handshake failed')
})

test('SEC9: TLS verifies the name, not the address that was pinned', async (t) => {
  const folder = tempFolder('outbound-tls')
  t.after(folder.remove)
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
  const subject = ['-subj', '/CN=models.example', '-addext', 'subjectAltName=DNS:models.example']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert, ...subject]
  execFileSync('openssl', made, { stdio: 'ignore' })
  const ca = readFileSync(cert, 'utf8')
  let servername: string | false | null = null
  const server = createHttpsServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    servername = (request.socket as { servername?: string | false }).servername ?? null
    response.end(request.headers.host)
  })
  const port = await listen(t, server)
  const outbound = open(t, { allow: ['127.0.0.1'], lookup: async () => [{ address: '127.0.0.1' }] })
  const connections = outbound.open({ connections: 1, ca })
  t.after(() => connections.destroy())
  const ask = (host: string) => connections.request({ origin: `https://${host}:${port}`, path: '/', method: 'GET' })
  const answer = await ask('models.example')
  assert.equal(await answer.body.text(), `models.example:${port}`)
  assert.equal(servername, 'models.example')
  await assert.rejects(ask('other.example'), (error) => outboundReason(error) === 'tls_error')
})
