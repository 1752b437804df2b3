import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import type { MeteredModelCall } from '../../contract/events.ts'
import { addTargets, refused, startGateway, startUpstream } from '../../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello' }]
const page = '<!doctype html><title>Sign in to the network</title>'

function answer(response: ServerResponse, usage: object): void {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage }))
}

/** A gateway with a hostile provider behind the route `alone`, and a good one behind it in the route `safe`. */
async function startHostile(t: Parameters<typeof startGateway>[0], reply: (response: ServerResponse) => void) {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const bad = await startUpstream(t, reply)
  const good = await startUpstream(t, (response) => answer(response, { prompt_tokens: 7, completion_tokens: 3 }))
  const providers = { bad: { type: 'openai', baseUrl: bad.url }, good: { type: 'openai', baseUrl: good.url } }
  const first = { providerRef: { name: 'bad' }, model: 'm', timeout: '300ms' }
  const fallbacks = [{ providerRef: { name: 'good' }, model: 'm' }]
  await addTargets(gateway, a, 'alone', { providers, route: first })
  const route = { ...first, fallbacks, circuitBreaker: { failures: 1000 } }
  await addTargets(gateway, a, 'safe', { providers: {}, route })
  const ask = (model: string, stream = false) =>
    gateway.as('developer').chat.completions.create({ model, messages, ...(stream ? { stream } : {}) })
  const failures = async (rows: number) =>
    (await gateway.metered(rows)).map(({ data }) => (data as MeteredModelCall).failed?.map(({ reason }) => reason))
  return { gateway, bad, good, ask, failures, namespace: a }
}

test('a provider that answers with HTML, nothing, silence or half a response is passed over', servers, async (t) => {
  let reply: (response: ServerResponse) => void = () => undefined
  const { ask, failures, good } = await startHostile(t, (response) => reply(response))
  const replies: readonly [reason: string, reply: (response: ServerResponse) => void][] = [
    ['unreadable', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page)],
    ['unreadable', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(page)],
    ['unreadable', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('\n  \n')],
    ['unreadable', (response) => void response.writeHead(204).end()],
    ['unreadable', (response) => void response.writeHead(200).end('[]')],
    ['timeout', () => undefined],
    ['connection_lost', (response) => void response.destroy()],
    ['provider_error', (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['provider_error', (response) => void response.writeHead(301, { location: 'http://169.254.169.254/' }).end()],
    ['provider_error', (response) => void response.writeHead(599, { 'content-type': 'text/html' }).end(page)],
    ['key_refused', (response) => void response.writeHead(403, { 'content-type': 'text/html' }).end(page)],
  ]
  for (const [reason, given] of replies) {
    reply = given
    assert.equal(((await ask('safe')) as { choices: { message: object }[] }).choices.length, 1, reason)
    const error = await refused(ask('alone'))
    assert.ok(error.status === 502 || error.status === 504, `${reason}: ${error.status}`)
    assert.ok(!JSON.stringify(error.error).includes('Sign in'))
  }
  assert.equal(good.seen.length, replies.length)
  const seen = await failures(2 * replies.length)
  assert.deepEqual(seen.flat().toSorted(), replies.flatMap(([reason]) => [reason, reason]).toSorted())
})

test('B3: a stream of garbage ends, in bounded memory, and is metered without usage', servers, async (t) => {
  const line = Buffer.alloc(64 * 1024, 0x78)
  const garbage: readonly ((response: ServerResponse) => void)[] = [
    (response) => {
      let sent = 0
      const more = (): void => {
        while (sent++ < 512) if (!response.write(line)) return void response.once('drain', more)
        response.end()
      }
      more()
    },
    (response) => response.end('data: {"choices":[{"delta":{"content":7}}]}\n\ndata: {{{\n\ndata: [DONE]\n\n'),
    (response) => response.end(Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a, 0x64, 0x61])),
  ]
  let reply = garbage[0]
  const { gateway, namespace } = await startHostile(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    reply?.(response)
  })
  const before = process.memoryUsage().rss
  for (const one of garbage) {
    reply = one
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.kube.tokens['developer']}`,
        'content-type': 'application/json',
        'x-mesh-namespace': namespace,
      },
      body: JSON.stringify({ model: 'alone', messages, stream: true }),
    })
    assert.equal(response.status, 200)
    await response.text()
  }
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024)
  const events = (await gateway.metered(garbage.length)).map(({ data }) => data as MeteredModelCall)
  assert.deepEqual(
    events.map(({ usageReported, outputTokens }) => [usageReported, outputTokens]),
    garbage.map(() => [false, 0]),
  )
})

test(
  'F5: a usage that no response can have is counted as reported or not at all, never as a crash',
  servers,
  async (t) => {
    const usages: readonly object[] = [
      { prompt_tokens: 10_000_000, completion_tokens: 10_000_000 },
      { prompt_tokens: 1e308, completion_tokens: 1e308 },
      { prompt_tokens: -5, completion_tokens: -5 },
      { prompt_tokens: '7', completion_tokens: null },
      { prompt_tokens: { a: 1 }, completion_tokens: [] },
    ]
    let next = 0
    const { gateway, ask } = await startHostile(t, (response) => answer(response, usages[next] ?? {}))
    for (; next < usages.length; next++) await ask('alone')
    const events = (await gateway.metered(usages.length)).map(({ data }) => data as MeteredModelCall)
    assert.deepEqual(
      events.map(({ usageReported }) => usageReported),
      [true, false, false, false, false],
    )
    assert.deepEqual([events[0]?.inputTokens, events[0]?.outputTokens], [10_000_000, 10_000_000])
    for (const { inputTokens, outputTokens } of events)
      assert.ok([inputTokens, outputTokens].every((count) => Number.isSafeInteger(count) && count >= 0))
  },
)

test('a certificate that is not trusted, and a server that speaks no HTTP, are passed over', servers, async (t) => {
  const { gateway, namespace, good } = await startHostile(t, () => undefined)
  // It accepts each connection and says nothing that TLS or HTTP could read. A certificate that changes is judged by TLS at each connection.
  const server = createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-x\r\n')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const providers = {
    tls: { type: 'openai', baseUrl: `https://127.0.0.1:${port}/v1` },
    raw: { type: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` },
  }
  const fallbacks = [
    { providerRef: { name: 'raw' }, model: 'm' },
    { providerRef: { name: 'good' }, model: 'm' },
  ]
  const route = { providerRef: { name: 'tls' }, model: 'm', fallbacks }
  await addTargets(gateway, namespace, 'odd', { providers, route })
  const { response } = await gateway.as('developer').chat.completions.create({ model: 'odd', messages }).withResponse()
  assert.equal(response.headers.get('x-mesh-attempts'), '3')
  assert.equal(good.seen.length, 1)
  const [row] = await gateway.metered(1)
  assert.deepEqual(
    (row?.data as MeteredModelCall | undefined)?.failed?.map(({ reason }) => reason),
    ['tls_error', 'failed'],
  )
})

test('B7: a key with a line break is no header, and its error does not show it', servers, async (t) => {
  const { gateway, namespace, bad } = await startHostile(t, (response) => answer(response, {}))
  const value = Buffer.from('sk-canary-1\r\nx-smuggled: yes').toString('base64')
  const origin = new URL(bad.url).origin
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'broken', namespace }, data: { key: value } }
  await gateway.admin.create(
    { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true },
    {
      ...secret,
      metadata: {
        ...secret.metadata,
        labels: { 'mesh.dev/provider-key': 'true' },
        annotations: { 'mesh.dev/origin': origin },
      },
    },
  )
  const provider = { type: 'openai', baseUrl: bad.url, secretRef: { name: 'broken', key: 'key' } }
  const route = { providerRef: { name: 'broken' }, model: 'm' }
  await addTargets(gateway, namespace, 'broken', { providers: { broken: provider }, route })
  const error = await refused(gateway.as('developer').chat.completions.create({ model: 'broken', messages }))
  assert.deepEqual([error.status, error.code], [502, 'provider_misconfigured'])
  assert.match(error.message, /Secret .*broken \(key key\) is empty or has characters that no key has/)
  assert.equal(bad.seen.length, 0)
  assert.ok(!JSON.stringify([error.error, gateway.lines]).includes('canary'))
})
