import assert from 'node:assert/strict'
import test from 'node:test'
import type { RawAnswer } from '../flows/platform/send.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const writing = ['post', 'put', 'patch', 'delete']
const ofSessions = ['POST /session', 'DELETE /session', 'DELETE /session/all', 'PUT /session/persona'].map(
  (one) => one.split(' ') as [string, string],
)

// What a browser sends for a form of another page. It cannot leave out Origin or Sec-Fetch-Site, nor add the header of the session.
const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
// A page at another port of this machine is of the same site: its requests have the cookie.
const otherPort = { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }

// An agent that answers at once.
const source = `require('node:http').createServer((request, response) => {
  request.resume()
  request.on('end', () => response.setHeader('content-type', 'application/json').end('{"output":"done"}'))
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

function cookieOf({ headers }: RawAnswer): string {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
}

test('D4: a form post of another page to any route that writes is refused, with the cookie of an administrator', async () => {
  const { url, tokens, send, kube } = await sharedEmbedded()
  const page = { origin: url, 'sec-fetch-site': 'same-origin', 'x-mesh-session': '1' }
  const signedIn = await send({ method: 'POST', path: '/session', headers: page, body: { token: tokens.admin } })
  assert.equal(signedIn.status, 200, signedIn.text)
  const cookie = cookieOf(signedIn)
  const { paths } = (await send({ path: '/openapi.json' })).json<Documented>()
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    writing.filter((one) => one in methods).map((method): [string, string] => [method.toUpperCase(), path]),
  )
  assert.ok(routes.length > 40, String(routes.length))
  const names: Readonly<Record<string, string>> = { ns: 'default', name: 'x' }
  for (const [method, pattern] of [...routes, ...ofSessions]) {
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'x')
    for (const headers of [crossSite, otherPort, { ...page, ...otherPort }, {}]) {
      const form = { contentType: 'application/x-www-form-urlencoded', body: Buffer.from('name=x&token=y') }
      const answer = await send({ method, path, headers: { cookie, ...headers }, ...form })
      assert.equal(answer.status, 403, `${method} ${path} ${answer.text}`)
      assert.match(answer.text, /cross_site_request/, `${method} ${path}`)
    }
  }
  const still = await send({ path: '/session', headers: { cookie, ...page } })
  assert.equal(still.json<{ session: object | null }>().session === null, false, 'the session is untouched')
  assert.equal((await kube({ path: '/apis/mesh.dev/v1alpha1/agenttemplates/x', bearer: tokens.admin })).status, 404)
})

test('streams of the API, of A2A and of AG-UI work with a cookie', async () => {
  const { url, tokens, send } = await sharedEmbedded()
  const page = { origin: url, 'sec-fetch-site': 'same-origin', 'x-mesh-session': '1' }
  const signedIn = await send({ method: 'POST', path: '/session', headers: page, body: { token: tokens.developer } })
  const cookie = cookieOf(signedIn)
  const made = await send({
    method: 'POST',
    path: '/api/agents',
    headers: { cookie, ...page },
    body: {
      namespace: 'default',
      config: { name: 'with-cookie', runtime: { command: ['node', '-e', source] }, a2a: { expose: true } },
    },
  })
  assert.equal(made.status, 201, made.text)
  const agent = { namespace: 'default', name: 'with-cookie' }
  const first = { method: 'POST', path: '/api/invoke', headers: { cookie, ...page } }
  const invoked = await send({ ...first, body: { agent, input: 'x', timeout: '5m' } })
  assert.equal(invoked.json<{ state: string }>().state, 'succeeded', invoked.text)
  // EventSource sends no headers of its own.
  const ofEventSource = { cookie, accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' }
  const events = await send({ path: '/api/events?namespace=demo', headers: ofEventSource, headersOnly: true })
  assert.deepEqual([events.status, events.headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] }
  const a2a = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }
  const messages = [{ id: 'm', role: 'user', content: 'hi' }]
  const agUi = { threadId: 't', runId: 'r', messages, tools: [], context: [], state: {}, forwardedProps: {} }
  const streams = [
    ['/api/agents/default/with-cookie/a2a', a2a],
    ['/api/agents/default/with-cookie/ag-ui', agUi],
  ] as const
  for (const [path, body] of streams) {
    const headers = { cookie, accept: 'text/event-stream', 'a2a-version': '1.0', ...page }
    const answer = await send({ method: 'POST', path, headers, body })
    assert.equal(answer.status, 200, answer.text)
    assert.match(String(answer.headers['content-type']), /text\/event-stream/)
    const { 'x-mesh-session': _, ...without } = headers
    assert.equal((await send({ method: 'POST', path, headers: without, body })).status, 403)
  }
})
