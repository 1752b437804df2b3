import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type OpenAI from 'openai'
import { contribute } from '#core/jobs/extension-point.ts'
import { sendRaw } from '#core/http/testing/raw-request.ts'
import { needs } from '#test/harness/find-server.ts'
import type { MeteredModelCall } from '../contract/events.ts'
import type { AgentCall } from '../contract/agent-model.ts'
import { agentRuns } from '../contract/points.ts'
import { addAgent, addKey, addRoute, refused, startGateway, startUpstream } from '../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello there' }]
const tools = [{ type: 'function' as const, function: { name: 'time', parameters: {} } }]

test('an OpenAI client can call the mock, and each call is metered without content', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  await addRoute(gateway.admin, a, 'mock', { provider: { type: 'mock' } })
  const script = [
    { contains: 'time', toolCalls: [{ name: 'time', arguments: { timezone: 'UTC' } }], reply: 'it is late' },
  ]
  await addRoute(gateway.admin, a, 'mock-scripted', { provider: { type: 'mock', mock: { script } } })
  const client = gateway.as('developer')

  const plain = await client.chat.completions.create({ model: 'mock', messages })
  assert.equal(plain.choices[0]?.message.content, 'MOCK_OK')
  const same = await client.chat.completions.create({ model: `${a}/mock`, messages })
  assert.deepEqual(same, plain)

  let text = ''
  let usageChunks = 0
  const quiet = await client.chat.completions.create({ model: 'mock', messages, stream: true })
  for await (const chunk of quiet) {
    text += chunk.choices[0]?.delta.content ?? ''
    usageChunks += chunk.choices.length === 0 ? 1 : 0
  }
  assert.deepEqual([text, usageChunks], ['MOCK_OK', 0])
  const asked = { model: 'mock', messages, stream: true as const, stream_options: { include_usage: true } }
  for await (const chunk of await client.chat.completions.create(asked)) usageChunks += chunk.usage ? 1 : 0
  assert.equal(usageChunks, 1)

  const question = [{ role: 'user' as const, content: 'what time is it?' }]
  const call = await client.chat.completions.create({ model: 'mock-scripted', messages: question, tools })
  const wanted = call.choices[0]?.message.tool_calls?.[0]
  assert.ok(wanted?.type === 'function')
  assert.deepEqual([wanted.function.name, wanted.function.arguments], ['time', '{"timezone":"UTC"}'])
  const result = { role: 'tool' as const, tool_call_id: wanted.id, content: 'late' }
  const assistant = { role: 'assistant' as const, tool_calls: [wanted] }
  const after = await client.chat.completions.create({
    model: 'mock-scripted',
    messages: [...question, assistant, result],
    tools,
  })
  assert.equal(after.choices[0]?.message.content, 'it is late')

  const schema = {
    type: 'object',
    required: ['name', 'size'],
    properties: { name: { type: 'string', minLength: 2 }, size: { enum: [3] } },
  }
  const json = await client.chat.completions.create({
    model: 'mock',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } },
  })
  assert.equal(json.choices[0]?.message.content, '{"name":"aa","size":3}')

  const embedded = await client.embeddings.create({ model: 'mock', input: ['a b', 'a b'], dimensions: 8 })
  assert.equal(embedded.data[0]?.embedding.length, 8)
  assert.deepEqual(embedded.data[0]?.embedding, embedded.data[1]?.embedding)
  const models = await client.models.list()
  assert.deepEqual(
    models.data.map(({ id }) => id),
    [`${a}/mock`, `${a}/mock-scripted`],
  )

  const events = await gateway.metered(8)
  const metrics = await gateway.metrics()
  const labels = `\\{(?:le="[^"]*",)?route="${a}/mock",provider="${a}/mock"`
  for (const name of ['mesh_model_first_byte_seconds_count', 'mesh_model_call_seconds_count'])
    assert.match(metrics, new RegExp(`^${name}${labels}\\} [1-9]`, 'm'))
  assert.match(metrics, /^mesh_model_tokens_total\{.*direction="output".*\} [1-9]/m)
  assert.ok(events.length === 8 && events.every(({ type }) => type === 'dev.mesh.providers.model-call-metered.v1'))
  assert.ok(events.every(({ data }) => data.usageReported === true && Number(data.inputTokens) > 0))
  assert.equal(JSON.stringify(events).includes('hello'), false)
})

test('requests are reviewed as the caller, and errors have the format of OpenAI', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a, b } = gateway.namespaces
  await addRoute(gateway.admin, a, 'mock', { provider: { type: 'mock' } })
  await addRoute(gateway.admin, b, 'mock', { provider: { type: 'mock' } })
  await addRoute(gateway.admin, a, 'foreign', {
    provider: { type: 'mock' },
    route: { providerRef: { name: 'mock', namespace: b } },
  })
  const ask = (client: OpenAI, model: string) => refused(client.chat.completions.create({ model, messages }))
  const cases: [OpenAI, string, number, string][] = [
    [gateway.client('garbage'), 'mock', 401, 'unauthenticated'],
    [gateway.as('unbound'), 'mock', 403, 'forbidden'],
    [gateway.as('developer'), `${b}/mock`, 403, 'forbidden'],
    [gateway.as('developer'), `${b}/missing`, 403, 'forbidden'],
    [gateway.as('developer'), 'missing', 404, 'model_not_found'],
    [gateway.as('developer'), '../x', 400, 'invalid_name'],
    [gateway.as('developer'), 'a/b/c', 400, 'invalid_body'],
    [gateway.as('developer'), 'foreign', 502, 'provider_misconfigured'],
    [gateway.as('developer'), `agent/${a}/robot`, 501, 'not_wired'],
  ]
  for (const [client, model, status, code] of cases) {
    const error = await ask(client, model)
    assert.deepEqual([model, error.status, error.code], [model, status, code])
    assert.equal(typeof error.type, 'string')
  }
  const noBearer = await fetch(`${gateway.url}/v1/models`)
  assert.equal(noBearer.status, 401)
  const body = await refused(gateway.as('developer').chat.completions.create({ model: 'mock', messages: [] }))
  assert.deepEqual([body.status, body.param], [400, 'messages'])
})

test(
  'a pod can use the routes of its namespace and those that allow it, and name only runs of its own agent',
  servers,
  async (t) => {
    let uid = ''
    const [own, theirs] = [randomUUID(), randomUUID()]
    const runs = {
      invokeForGateway: () => Promise.reject(new Error('not asked')),
      agentsAbove: async () => [],
      agentOf: async (runId: string) => ({
        namespace: '',
        name: '',
        uid: runId === own ? uid : 'uid-of-other',
        traceId: 'a'.repeat(32),
      }),
    }
    const gateway = await startGateway(t, [contribute(agentRuns, runs)])
    const { a, b } = gateway.namespaces
    await addRoute(gateway.admin, a, 'mock', { provider: { type: 'mock' } })
    await addRoute(gateway.admin, b, 'private', { provider: { type: 'mock' } })
    await addRoute(gateway.admin, b, 'shared', { provider: { type: 'mock' }, route: { allowedNamespaces: [a] } })
    // Before the agent, for which a manager of another test file may create it.
    await gateway.run('create', 'serviceaccount', 'robot', '-n', a)
    await gateway.run('create', 'serviceaccount', 'other', '-n', a)
    uid = await addAgent(gateway.admin, a, 'robot', { route: 'mock', allowRoutes: [`${b}/shared`] })
    const token = await gateway.run('create', 'token', 'robot', '-n', a, '--audience=gateway')
    const pod = (headers: Record<string, string> = {}) => gateway.client(token, headers)
    const ask = (client: OpenAI, model: string) => client.chat.completions.create({ model, messages })
    assert.equal((await ask(pod(), 'mock')).choices[0]?.message.content, 'MOCK_OK')
    assert.equal((await ask(pod(), `${b}/shared`)).choices[0]?.message.content, 'MOCK_OK')
    assert.equal((await refused(ask(pod(), `${b}/private`))).status, 404)
    assert.equal((await refused(ask(pod(), `agent/${a}/robot`))).status, 403)
    const named = await ask(pod({ 'x-mesh-run-id': own }), 'mock').withResponse()
    assert.equal(named.response.headers.get('x-mesh-run-id'), own)
    assert.equal((await refused(ask(pod({ 'x-mesh-run-id': theirs }), 'mock'))).status, 403)
    const stranger = await gateway.run('create', 'token', 'other', '-n', a, '--audience=gateway')
    assert.equal((await refused(ask(gateway.client(stranger), 'mock'))).status, 403)
    // R2-C1: what the agent's spec asks for has no effect here.
    gateway.unenforced.push({ kind: 'AgentDeployment', field: 'model', plugin: 'guardrails', because: 'disabled' })
    const off = await refused(ask(pod(), 'mock'))
    assert.deepEqual([off.status, off.code], [503, 'plugin_disabled'])
    assert.match(off.message, /spec\.model needs the plugin guardrails, which is not available: disabled\./)
    const person = gateway.as('developer')
    assert.equal((await ask(person, 'mock')).choices[0]?.message.content, 'MOCK_OK', 'a person has no spec')
    gateway.unenforced.splice(0)
    const events = await gateway.metered(4)
    assert.equal(events.filter(({ data }) => data['agentUid'] === null).length, 1)
    // Only ever widened: a manager of another test file may keep the routes of a former spec in the status.
    await addRoute(gateway.admin, a, 'other', { provider: { type: 'mock' } })
    await addRoute(gateway.admin, b, 'common', { provider: { type: 'mock' }, route: { allowedNamespaces: ['*'] } })
    const models = async () => (await pod().models.list()).data.map(({ id }) => id)
    assert.deepEqual(await models(), [`${a}/mock`], 'R2-CL-4')
    for (const model of ['other', `${b}/common`]) {
      const { status, code, param, message } = await refused(ask(pod(), model))
      assert.deepEqual([status, code, param], [403, 'route_not_allowed', 'model'])
      assert.match(message, /Name the route in spec\.model\.allowRoutes/)
    }
    assert.equal((await refused(pod().models.retrieve(`${a}/other`))).status, 403)
    assert.equal((await refused(ask(pod(), `${b}/private`))).status, 404, 'nothing is said of what it may not use')
    assert.equal(
      (await gateway.as('developer').chat.completions.create({ model: 'other', messages })).object,
      'chat.completion',
    )
    await gateway.run(
      'patch',
      'agentdeployment',
      'robot',
      '-n',
      a,
      '--type=merge',
      '-p',
      `{"spec":{"model":{"allowRoutes":["${b}/shared","other"]}}}`,
    )
    assert.equal((await ask(pod(), 'other')).choices[0]?.message.content, 'MOCK_OK')
    // Each is written after its response, in any order.
    assert.deepEqual(
      events
        .filter(({ data }) => data['agentUid'] !== null)
        .map(({ data }) => `${String(data.agentUid)} ${String(data.runId)}`)
        .toSorted(),
      [`${uid} null`, `${uid} null`, `${uid} ${own}`].toSorted(),
    )
  },
)

test('B7: host and key come from the provider only, and redirects are not followed', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const key = 'sk-canary-0123456789'
  let redirected = 0
  const elsewhere = await startUpstream(t, (response) => (redirected++, response.end('{}')))
  const upstream = await startUpstream(t, (response, body) => {
    const json = (status: number, value: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', location: elsewhere.url })
        .end(JSON.stringify(value))
    const asked = JSON.stringify(body.messages)
    if (asked.includes('redirect')) return json(307, {})
    if (asked.includes('bad key')) return json(401, { error: { message: `Incorrect API key: ${key}` } })
    if (asked.includes('too long')) return json(400, { error: { message: 'context too long' } })
    if (asked.includes('broken')) return json(500, { error: { message: `stack of ${key}` } })
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
    return json(200, {
      id: 'x',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'real' } }],
      usage,
    })
  })
  await addKey(gateway, a, { name: 'llm', key, origin: new URL(upstream.url).origin })
  const provider = { type: 'openai', baseUrl: upstream.url, secretRef: { name: 'llm', key: 'key' } }
  await addRoute(gateway.admin, a, 'real', { provider, route: { params: { temperature: 0.2, maxTokens: 5 } } })
  const client = gateway.as('developer', {
    'x-mesh-namespace': a,
    'x-forwarded-host': 'evil',
    host: 'evil.example',
    cookie: 'c=1',
  })
  const ask = (content: string) =>
    client.chat.completions.create({ model: 'real', temperature: 0.9, messages: [{ role: 'user', content }] })
  assert.equal((await ask('hi')).choices[0]?.message.content, 'real')
  const [sent] = upstream.seen
  assert.deepEqual([sent?.body.model, sent?.body.temperature, sent?.body.max_tokens], ['test-1', 0.9, 5])
  assert.equal(sent?.headers.authorization, `Bearer ${key}`)
  assert.deepEqual(
    [sent?.headers.cookie, sent?.headers['x-forwarded-host'], sent?.headers['x-mesh-namespace']],
    [undefined, undefined, undefined],
  )
  const failures: [string, number][] = [
    ['redirect', 502],
    ['bad key', 502],
    ['too long', 400],
    ['broken', 502],
  ]
  for (const [content, status] of failures) {
    const error = await refused(ask(content))
    assert.deepEqual([content, error.status], [content, status])
    assert.equal(JSON.stringify(error.error).includes('canary'), false)
  }
  assert.match((await refused(ask('too long'))).message, /context too long/)
  assert.equal(redirected, 0)
  assert.equal(gateway.lines.join('').includes('canary'), false)
  assert.equal(JSON.stringify(await gateway.metered(6)).includes('canary'), false)
})

test('streams are relayed, fall back before the first byte only, and end with the client', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  let tried = 0
  const failing = await startUpstream(t, (response) => (tried++, response.writeHead(503).end()))
  const silent = await startUpstream(t, () => void tried++)
  let open: (() => void) | undefined
  const closed = Promise.withResolvers<void>()
  const streaming = await startUpstream(t, (response, body) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (value: object) => response.write(`data: ${JSON.stringify(value)}\n\n`)
    chunk({ choices: [{ index: 0, delta: { content: 'first' } }] })
    const asked = JSON.stringify(body.messages)
    if (asked.includes('hang')) return void response.on('close', () => closed.resolve())
    if (asked.includes('break')) return void setTimeout(() => response.destroy(), 20)
    open = () => {
      chunk({ choices: [{ index: 0, delta: { content: ' second' }, finish_reason: 'stop' }] })
      chunk({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 2 } })
      response.end('data: [DONE]\n\n')
    }
  })
  for (const [name, { url }] of Object.entries({ failing, silent, streaming }))
    await addRoute(gateway.admin, a, name, {
      provider: { type: 'openai', baseUrl: url },
      ...(name === 'failing'
        ? {
            route: {
              retries: 1,
              timeout: '200ms',
              fallbacks: ['silent', 'streaming'].map((other) => ({
                providerRef: { name: other },
                model: `at-${other}`,
              })),
            },
          }
        : {}),
    })
  const client = gateway.as('developer')
  const ask = (content: string, signal?: AbortSignal) =>
    client.chat.completions.create(
      { model: 'failing', stream: true, messages: [{ role: 'user', content }] },
      signal === undefined ? {} : { signal },
    )
  let text = ''
  for await (const chunk of await ask('go')) {
    text += chunk.choices[0]?.delta.content ?? ''
    open?.()
    open = undefined
  }
  assert.equal(text, 'first second')
  assert.equal(tried, 3, 'two tries at the failing one, one at the silent one')
  assert.equal(streaming.seen[0]?.body.model, 'at-streaming')
  await assert.rejects(async () => {
    for await (const chunk of await ask('break')) text += chunk.choices[0]?.delta.content ?? ''
  }, /broke off/)
  const abort = new AbortController()
  const hanging = await ask('hang', abort.signal)
  const reader = hanging[Symbol.asyncIterator]()
  await reader.next()
  abort.abort()
  await closed.promise
  const metered = await gateway.metered(3)
  assert.deepEqual(
    (metered[0]?.data as MeteredModelCall | undefined)?.failed?.map(({ provider, reason }) => [
      provider.split('/')[1],
      reason,
    ]),
    [
      ['failing', 'provider_error'],
      ['failing', 'provider_error'],
      ['silent', 'timeout'],
    ],
  )
  const numbers = metered.map(({ data }) => [data.status, data.inputTokens, data.outputTokens, data.streamed])
  assert.deepEqual(numbers.slice(0, 2), [
    [200, 11, 2, true],
    [502, 0, 0, true],
  ])
})

test('an agent is a model, and an unfinished run is an error that names it', servers, async (t) => {
  const asked: AgentCall[] = []
  const usage = { inputTokens: 1, outputTokens: 2 }
  const invokeForGateway = async (call: AgentCall) => {
    asked.push(call)
    if (call.input === 'pause') return { runId: 'r2', state: 'paused', output: null, error: null, usage }
    for (const piece of ['I ', 'am ']) call.onText(piece)
    return { runId: 'r1', state: 'succeeded', output: 'I am robot', error: null, usage }
  }
  const gateway = await startGateway(t, [
    contribute(agentRuns, {
      invokeForGateway,
      agentOf: async () => undefined,
      agentsAbove: async () => [],
    }),
  ])
  const { a } = gateway.namespaces
  const client = gateway.as('developer', { 'x-conversation-id': 'c1' })
  const model = `agent/${a}/robot`
  const whole = await client.chat.completions.create({ model, messages }).withResponse()
  assert.equal(whole.data.choices[0]?.message.content, 'I am robot')
  assert.equal(whole.response.headers.get('x-mesh-run-id'), 'r1')
  let text = ''
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
    text += chunk.choices[0]?.delta.content ?? ''
  assert.equal(text, 'I am robot')
  const paused = await refused(
    client.chat.completions.create({ model, messages: [{ role: 'user', content: 'pause' }] }),
  )
  assert.deepEqual([paused.status, paused.code], [409, 'run_paused'])
  const [first] = asked
  assert.deepEqual(
    [first?.input, first?.conversationId, first?.agent, first?.caller.username],
    ['hello there', 'c1', { namespace: a, name: 'robot' }, 'developer'],
  )
})

test('R2-UX-21: responses that the gateway writes end with a newline', servers, async (t) => {
  const gateway = await startGateway(t)
  await addRoute(gateway.admin, gateway.namespaces.a, 'mock', { provider: { type: 'mock' } })
  const headers = {
    authorization: `Bearer ${gateway.kube.tokens['developer']}`,
    'content-type': 'application/json',
    'x-mesh-namespace': gateway.namespaces.a,
  }
  for (const [path, body] of [
    ['chat/completions', { messages }],
    ['embeddings', { input: 'hello' }],
    ['messages', { messages, max_tokens: 9 }],
    ['responses', { input: 'hello' }],
  ] as const) {
    const asked = { method: 'POST', headers, body: JSON.stringify({ model: 'mock', ...body }) }
    const answer = await fetch(`${gateway.url}/v1/${path}`, asked)
    const text = await answer.text()
    assert.deepEqual([answer.status, text.endsWith('}\n')], [200, true], `${path}: ${text}`)
  }
})

test('a body above the limit is a 413 in the format of OpenAI', servers, async (t) => {
  const gateway = await startGateway(t)
  const content = 'x'.repeat(1024 * 1024)
  const error = await refused(
    gateway.as('developer').chat.completions.create({ model: 'mock', messages: [{ role: 'user', content }] }),
  )
  assert.deepEqual([error.status, error.code], [413, 'payload_too_large'])
})

test('SEC4, F3: the gateway answers a rejected bearer before it reads the body', servers, async (t) => {
  const gateway = await startGateway(t)
  const head = (bearer: string): string =>
    `POST /v1/chat/completions HTTP/1.1\nHost: x\nAuthorization: Bearer ${bearer}\nContent-Type: application/json\nContent-Length: 1000`
  const request = sendRaw(Number(new URL(gateway.url).port), head('unknown-token'), '{')
  assert.equal(await request.status, 401)
  assert.match(request.text(), /"type":"authentication_error"|"invalid_api_key"|unauthenticated/)
  request.socket.destroy()
  // Shared by many connections: one TokenReview within the time of a rejection. Counted in this process: others use the API server too.
  let reviews = 0
  const count = (message: unknown) => {
    if ((message as { request: { path: string } }).request.path.includes('tokenreviews')) reviews++
  }
  subscribe('undici:request:create', count)
  t.after(() => unsubscribe('undici:request:create', count))
  const from = performance.now()
  const requests = Array.from({ length: 50 }, () => sendRaw(Number(new URL(gateway.url).port), head('unknown-2'), '{'))
  assert.deepEqual(new Set(await Promise.all(requests.map(({ status }) => status))), new Set([401]))
  for (const { socket } of requests) socket.destroy()
  // A rejection counts for two seconds, which a busy machine may need several times.
  const mostReviews = 1 + Math.floor((performance.now() - from) / 2_000)
  assert.ok(reviews >= 1 && reviews <= mostReviews, `${reviews} reviews`)
})
