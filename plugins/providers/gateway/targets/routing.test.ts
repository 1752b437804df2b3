import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sendRaw } from '#core/http/testing/raw-request.ts'
import { needs } from '#test/harness/find-server.ts'
import { addKey, addTargets, refused, startGateway, startUpstream } from '../../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello' }]

const answer = (response: ServerResponse, content: string): void => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage }))
}

const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] })}\n\n`,
  )
  response.end(
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\ndata: [DONE]\n\n`,
  )
}

interface SeenStatus {
  readonly targets?: readonly {
    readonly provider: string
    readonly circuit: string
    readonly lastErrorClass?: string
  }[]
}

test(
  'a route divides its calls between targets, passes over those that fail, and says who answered',
  servers,
  async (t) => {
    const gateway = await startGateway(t)
    const { a } = gateway.namespaces
    let isDown = true
    const up = await startUpstream(t, (response, body) =>
      body.stream === true ? stream(response) : answer(response, 'up'),
    )
    const down = await startUpstream(t, (response) =>
      isDown ? void response.writeHead(503).end() : answer(response, 'down'),
    )
    const providers = { up: { type: 'openai', baseUrl: up.url }, down: { type: 'openai', baseUrl: down.url } }
    const targets = [
      { providerRef: { name: 'down' }, model: 'm-1', weight: 999 },
      { providerRef: { name: 'up' }, model: 'müller/2', weight: 1 },
    ]
    const circuitBreaker = { failures: 3, openFor: '1s' }
    await addTargets(gateway, a, 'shared', { providers, route: { targets, circuitBreaker } })
    const client = gateway.as('developer')
    const ask = () => client.chat.completions.create({ model: 'shared', messages }).withResponse()

    const attempts: (string | null)[] = []
    const from = performance.now()
    for (let n = 0; n < 12 || attempts.at(-1) !== '1'; n++) {
      const { data, response } = await ask()
      assert.equal(data.choices[0]?.message.content, 'up')
      const header = (name: string) => response.headers.get(name)
      assert.deepEqual(
        [header('x-mesh-route'), header('x-mesh-target'), header('x-mesh-provider')],
        [`${a}/shared`, `${a}/up/m%C3%BCller/2`, `${a}/up`],
      )
      attempts.push(header('x-mesh-attempts'))
    }
    // Three calls open the circuit; then one call a second tries the target.
    const most = 3 + Math.floor((performance.now() - from) / 1_000)
    assert.ok(down.seen.length >= 3 && down.seen.length <= most, `${down.seen.length} of ${most}`)
    assert.equal(attempts.filter((count) => count === '2').length, down.seen.length)

    const streamed = await client.chat.completions.create({ model: 'shared', messages, stream: true }).withResponse()
    assert.equal(streamed.response.headers.get('x-mesh-target'), `${a}/up/m%C3%BCller/2`)
    for await (const _ of streamed.data);
    const called = gateway.spans.filter(({ kind }) => kind === 'server')
    assert.deepEqual(
      called.map(({ attributes }) => [attributes['mesh.model.target'], String(attributes['mesh.model.attempts'])]),
      [...attempts, streamed.response.headers.get('x-mesh-attempts')].map((count) => [`${a}/up/m%C3%BCller/2`, count]),
      'the own span of the gateway names the target that answered',
    )

    // Reported by server-side apply under a field manager of this process.
    const read = async (...path: string[]) =>
      JSON.parse(await gateway.run('get', 'modelroute', 'shared', '-n', a, '-o', 'json', ...path)) as {
        readonly status?: SeenStatus
        readonly metadata: {
          readonly managedFields: readonly { readonly manager: string; readonly operation: string }[]
        }
      }
    const circuitOf = async (name: string) =>
      (await read()).status?.targets?.find(({ provider }) => provider === `${a}/${name}`)
    while ((await circuitOf('down')) === undefined) await pause(100)
    const seen = await circuitOf('down')
    assert.equal(seen?.lastErrorClass, 'provider_error')
    assert.equal((await circuitOf('up'))?.circuit, 'closed')
    const { managedFields } = (await read('--show-managed-fields')).metadata
    assert.ok(
      managedFields.some((one) => /^mesh-gateway-.+-[0-9a-f]{8}$/.test(one.manager) && one.operation === 'Apply'),
    )

    isDown = false
    await pause(1_050)
    while ((await ask()).data.choices[0]?.message.content !== 'down');
    const events = await gateway.metered(attempts.length)
    const first = events[0]?.data as { attempts: number; provider: string; model: string; failed: { reason: string }[] }
    assert.deepEqual(
      [first.attempts, first.provider, first.model, first.failed.map(({ reason }) => reason)],
      [2, `${a}/up`, 'müller/2', ['provider_error']],
    )
  },
)

test('when every target is away, calls are a 503 without an attempt until one is tried again', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const away = await startUpstream(t, (response) => void response.writeHead(500).end())
  const providers = { one: { type: 'openai', baseUrl: away.url }, two: { type: 'openai', baseUrl: away.url } }
  const route = {
    providerRef: { name: 'one' },
    model: 'm',
    fallbacks: [{ providerRef: { name: 'two' }, model: 'm' }],
    circuitBreaker: { failures: 1, openFor: '1h' },
  }
  await addTargets(gateway, a, 'away', { providers, route })
  const ask = () => refused(gateway.as('developer').chat.completions.create({ model: 'away', messages }))
  const first = await ask()
  assert.deepEqual([first.status, first.code, first.headers?.get('x-mesh-attempts')], [502, 'bad_gateway', '2'])
  const second = await ask()
  assert.deepEqual([second.status, second.code, second.headers?.get('x-mesh-attempts')], [503, 'circuit_open', null])
  const wait = Number(second.headers?.get('retry-after'))
  assert.ok(wait > 3_500 && wait <= 3_600, String(wait))
  assert.equal(away.seen.length, 2)
})

test('retries follow the rules of the route, within the time that the client waits', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  let status = 409
  const busy = await startUpstream(t, (response) => void (status === 0 ? undefined : response.writeHead(status).end()))
  const fine = await startUpstream(t, (response) => answer(response, 'fine'))
  const providers = { busy: { type: 'openai', baseUrl: busy.url }, fine: { type: 'openai', baseUrl: fine.url } }
  const fallbacks = [{ providerRef: { name: 'fine' }, model: 'm' }]
  const first = { providerRef: { name: 'busy' }, model: 'm', retries: 1, fallbacks, circuitBreaker: { failures: 1000 } }
  await addTargets(gateway, a, 'usual', { providers, route: first })
  await addTargets(gateway, a, 'strict', { providers: {}, route: { ...first, retryOn: [429] } })
  const client = gateway.as('developer')
  const ask = (model: string, timeout = 60_000) => client.chat.completions.create({ model, messages }, { timeout })
  assert.equal((await ask('usual')).choices[0]?.message.content, 'fine')
  assert.equal(busy.seen.length, 2)
  assert.equal((await refused(ask('strict'))).status, 409)
  status = 503
  assert.equal((await refused(ask('strict'))).status, 502)
  status = 429
  assert.equal((await ask('strict')).choices[0]?.message.content, 'fine')
  // It hangs. The client waits for one second, as its SDK says: there is no time for a second attempt.
  status = 0
  const before = [busy.seen.length, fine.seen.length]
  const headers = {
    authorization: `Bearer ${gateway.kube.tokens['developer']}`,
    'content-type': 'application/json',
    'x-mesh-namespace': a,
    'x-stainless-timeout': '1',
  }
  const late = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'usual', messages }),
  })
  assert.deepEqual([late.status, late.headers.get('x-mesh-attempts')], [504, '1'])
  assert.deepEqual([busy.seen.length, fine.seen.length], [(before[0] ?? 0) + 1, before[1]])
})

test('output is capped, and only the headers that the route names are passed', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const upstream = await startUpstream(t, (response) => answer(response, 'ok'))
  const provider = { type: 'openai', baseUrl: upstream.url }
  const base = { providerRef: { name: 'llm' }, model: 'm', maxOutputTokens: 100, passHeaders: ['x-tag', 'x-other'] }
  await addTargets(gateway, a, 'capped', { providers: { llm: provider }, route: base })
  await addTargets(gateway, a, 'preset', { providers: {}, route: { ...base, params: { maxTokens: 500 } } })
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const own = { authorization: `Bearer ${gateway.kube.tokens['developer']}`, 'x-mesh-namespace': a }
    return fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...own, ...headers },
      body: JSON.stringify({ model: 'capped', messages, ...body }),
    })
  }
  const limits = async (body: object) => {
    assert.equal((await post(body)).status, 200)
    const { max_tokens: most, max_completion_tokens: completion } = upstream.seen.at(-1)?.body ?? {}
    return [most, completion]
  }
  assert.deepEqual(await limits({}), [100, undefined])
  assert.deepEqual(await limits({ max_tokens: 50 }), [50, undefined])
  assert.deepEqual(await limits({ max_tokens: 5_000 }), [100, undefined])
  assert.deepEqual(await limits({ max_completion_tokens: 5_000 }), [undefined, 100])
  assert.deepEqual(await limits({ model: 'preset', max_completion_tokens: 5_000 }), [100, undefined])

  await post({}, { 'x-tag': 'team a', 'x-unnamed': 'no', cookie: 'c=1' })
  const { headers = {} } = upstream.seen.at(-1) ?? {}
  assert.deepEqual(
    [headers['x-tag'], headers['x-unnamed'], headers.cookie, headers.authorization, headers['x-mesh-namespace']],
    ['team a', undefined, undefined, undefined, undefined],
  )
  const sent = upstream.seen.length
  for (const value of ['a\u00a0b', 'x'.repeat(1_025)]) assert.equal((await post({}, { 'x-tag': value })).status, 400)
  const body = JSON.stringify({ model: 'capped', messages })
  const raw = async (...lines: string[]) => {
    const head = [
      'POST /v1/chat/completions HTTP/1.1\nHost: x',
      `Authorization: Bearer ${gateway.kube.tokens['developer']}`,
      `X-Mesh-Namespace: ${a}\nContent-Type: application/json\nContent-Length: ${Buffer.byteLength(body)}`,
      ...lines,
    ]
    const request = sendRaw(Number(new URL(gateway.url).port), head.join('\n'), body)
    const status = await request.status
    request.socket.destroy()
    return status
  }
  assert.equal(await raw('X-Tag: fine'), 200)
  assert.equal(await raw('X-Tag: a', 'X-Tag: b'), 400, 'given twice')
  assert.equal(await raw('X-Tag: a', 'Connection: close, X-Tag'), 400, 'of the connection')
  assert.equal(await raw('X-Tag: a\u0000b'), 400)
  assert.equal(await raw('X-Tag: a\rAuthorization: Bearer b'), 400)
  assert.equal(upstream.seen.length, sent + 1)
})

test('a route whose provider is the gateway calls another route once, and itself never', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const upstream = await startUpstream(t, (response) => answer(response, 'end'))
  const token = gateway.kube.tokens['developer'] ?? ''
  await addKey(gateway, a, { name: 'self', key: token, origin: gateway.url })
  const self = { type: 'openai', baseUrl: `${gateway.url}/v1`, secretRef: { name: 'self', key: 'key' } }
  const providers = { self, end: { type: 'openai', baseUrl: upstream.url } }
  const to = (model: string) => ({ providerRef: { name: 'self' }, model: `${a}/${model}`, retryOn: [] })
  await addTargets(gateway, a, 'end', { providers, route: { providerRef: { name: 'end' }, model: 'm' } })
  await addTargets(gateway, a, 'chain', { providers: {}, route: to('end') })
  await addTargets(gateway, a, 'circle', { providers: {}, route: to('detour') })
  await addTargets(gateway, a, 'detour', { providers: {}, route: to('circle') })
  const client = gateway.as('developer')
  const chained = await client.chat.completions.create({ model: 'chain', messages })
  assert.equal(chained.choices[0]?.message.content, 'end')
  assert.match(upstream.seen[0]?.headers.via ?? '', /1\.1 mesh-[0-9a-f-]{36}, 1\.1 mesh-[0-9a-f-]{36}$/)
  const error = await refused(client.chat.completions.create({ model: 'circle', messages }))
  assert.equal(error.status, 502)
  const events = await gateway.metered(4)
  assert.equal(events.length, 4, 'two routes of the chain, two of the circle')
  const own = await gateway.run('get', 'modelroute', 'circle', '-n', a, '-o', 'jsonpath={.metadata.uid}')
  const again = await refused(
    gateway.as('developer', { 'x-mesh-namespace': a, via: `1.0 proxy, 1.1 mesh-${own}` }).chat.completions.create({
      model: 'circle',
      messages,
    }),
  )
  assert.deepEqual([again.status, again.code], [508, 'loop_detected'])
})
