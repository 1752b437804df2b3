import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { launch } from '../testdata/launch.ts'
import { nodeAgent } from '../testdata/node-agent.ts'

/** Sends bytes as they are and returns the status line's number and the head of the response. */
function raw(port: number, text: string): Promise<{ status: number; head: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (answer.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('close', () => resolve({ status: Number(answer.split(' ')[1]), head: answer.toLowerCase() }))
    socket.on('error', reject)
  })
}

const json = 'Content-Type: application/json'

test('H1: every listener has the same guard', async (t) => {
  const launched = await launch(t, {
    command: nodeAgent,
    env: { STATE_URL: 'http://127.0.0.1:1', MESH_HOSTS: 'robot.default.svc,10.0.0.7,fd00::7' },
  })
  const listeners = [
    {
      port: launched.port,
      path: '/invoke',
      limit: 16 * 1024 * 1024,
      hosts: ['robot.default.svc', `10.0.0.7:${launched.port}`, `[fd00::7]:${launched.port}`],
    },
    { port: await launched.port2994(), path: '/delegate', limit: 1024 * 1024, hosts: [] },
  ]
  for (const { port, path, limit, hosts } of listeners) {
    const local = `Host: localhost:${port}`
    const get = (...headers: string[]) => raw(port, `GET /healthz HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    const post = (body: string, ...headers: string[]) =>
      raw(
        port,
        `POST ${path} HTTP/1.1\r\n${[local, ...headers].join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    const cases: [string, number, Promise<{ status: number; head: string }>][] = [
      ['localhost', 200, get(local)],
      ['127.0.0.1', 200, get(`Host: 127.0.0.1:${port}`)],
      ['[::1]', 200, get(`Host: [::1]:${port}`)],
      ['another host', 421, get(`Host: evil.example:${port}`)],
      ['another port', 421, get('Host: localhost:1')],
      ['no port', 421, get('Host: localhost')],
      ['no host', 400, get('X-A: b')],
      ['two hosts', 400, get(local, local)],
      ['an origin', 403, get(local, 'Origin: http://localhost')],
      ['its own origin', 200, get(local, `Origin: http://127.0.0.1:${port}`)],
      ['the origin of another port', 403, get(local, 'Origin: http://localhost:1')],
      ['its own origin by https', 403, get(local, `Origin: https://localhost:${port}`)],
      ['a name that begins alike', 403, get(local, `Origin: http://localhost:${port}.evil.example`)],
      ['two origins', 403, get(local, `Origin: http://localhost:${port}`, `Origin: http://localhost:${port}`)],
      ['the null origin', 403, get(local, 'Origin: null')],
      ['a cross-site fetch', 403, get(local, 'Sec-Fetch-Site: cross-site')],
      ['a form', 415, post('a=b', 'Content-Type: application/x-www-form-urlencoded')],
      ['plain text', 415, post('{}', 'Content-Type: text/plain')],
      ['no content type', 415, post('{}')],
      [
        'a promised large body',
        413,
        raw(port, `POST ${path} HTTP/1.1\r\n${local}\r\n${json}\r\nContent-Length: ${limit + 1}\r\n\r\n`),
      ],
      ['65 headers', 431, get(local, ...Array.from({ length: 64 }, (_, index) => `X-${index}: 1`))],
      ['64 headers', 200, get(local, ...Array.from({ length: 63 }, (_, index) => `X-${index}: 1`))],
      ['3,000 headers', 431, get(local, ...Array.from({ length: 3000 }, (_, index) => `X-${index}: 1`))],
      ['not JSON', 400, post('{', json)],
      ['an unknown path', 404, raw(port, `GET /nothing HTTP/1.1\r\n${local}\r\n\r\n`)],
      ['another method', 405, raw(port, `GET ${path} HTTP/1.1\r\n${local}\r\n\r\n`)],
      ...hosts.map((host): [string, number, ReturnType<typeof raw>] => [host, 200, get(`Host: ${host}`)]),
    ]
    for (const [what, status, answered] of cases) {
      const answer = await answered
      assert.equal(answer.status, status, `${path}: ${what}`)
      assert.doesNotMatch(answer.head, /access-control-/, `${path}: ${what}`)
    }
    const large = Buffer.alloc(64 * 1024, 'x')
    const chunk = `${large.length.toString(16)}\r\n${large.toString()}\r\n`
    const head = `POST ${path} HTTP/1.1\r\n${local}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunked = await raw(port, head + chunk.repeat(limit / large.length + 1)).catch(() => ({ status: 413 }))
    assert.equal(chunked.status, 413, `${path}: a large body without a length`)
  }
})

test('H1: names of the Service are not names of a loopback listener', async (t) => {
  const launched = await launch(t, {
    command: nodeAgent,
    env: { STATE_URL: 'http://127.0.0.1:1', MESH_HOSTS: 'robot' },
  })
  const port = await launched.port2994()
  assert.equal((await raw(port, `GET /healthz HTTP/1.1\r\nHost: robot:${port}\r\n\r\n`)).status, 421)
})
