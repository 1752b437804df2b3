import assert from 'node:assert/strict'
import test from 'node:test'
import type OpenAI from 'openai'
import { contribute } from '#core/jobs/extension-point.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { exchangeRaw } from '#test/listeners/raw-exchange.ts'
import { needs } from '#test/harness/find-server.ts'
import type { AgentCall, AgentOutcome } from '../contract/agent-model.ts'
import { createErrorFormat } from './request/error-format.ts'
import { agentRuns } from '../contract/points.ts'
import { addAgent, addRoute, refused, startGateway } from '../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello there' }]

interface Wire {
  readonly error: { readonly message: string; readonly type: string; readonly param: unknown; readonly code: string }
}

test(
  'UXM20: SDKs show every error of the gateway, also for unknown paths and malformed requests',
  servers,
  async (t) => {
    const gateway = await startGateway(t)
    const { a } = gateway.namespaces
    const provider = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
    await addRoute(gateway.admin, a, 'down', { provider })
    await addRoute(gateway.admin, a, 'keyless', {
      provider: { ...provider, secretRef: { name: 'oa-key', key: 'api-key' } },
    })
    const client = gateway.as('developer')
    const post = (path: string, body: object): Promise<unknown> => client.post(path, { body })
    const cases: [() => Promise<unknown>, number, string | null, RegExp][] = [
      [
        () => client.completions.create({ model: 'x', prompt: 'y' }),
        404,
        null,
        /^404 POST \/v1\/completions is not supported\. .*POST \/v1\/chat\/completions, POST \/v1\/responses, .*GET \/v1\/models/,
      ],
      [() => post('/chat/completions', { messages }), 400, 'model', /^400 model is required\.$/],
      [() => post('/chat/completions', { model: 5, messages }), 400, 'model', /model must be a string/],
      [() => post('/chat/completions', { model: 'm' }), 400, 'messages', /messages is required/],
      [() => post('/embeddings', { model: 'm' }), 400, 'input', /input is required/],
      [
        () => post('/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'a\0b' }] }),
        400,
        'messages[0].content',
        /messages\[0\]\.content must not contain U\+0000/,
      ],
      [() => post('/chat/completions', { model: '\ud800', messages }), 400, 'model', /^400 model must/],
      [() => post('/chat/completions', { model: 'm'.repeat(2 ** 19), messages }), 400, 'model', /^400 model must/],
      [
        () => gateway.as('developer', { 'x-mesh-namespace': '..' }).models.list(),
        400,
        'X-Mesh-Namespace',
        /X-Mesh-Namespace must be an RFC 1123 label/,
      ],
      [() => gateway.client('garbage').models.list(), 401, null, /bearer token is required/],
      [
        () => client.chat.completions.create({ model: 'down', messages }),
        502,
        null,
        new RegExp(`Provider ${a}/down \\(127\\.0\\.0\\.1:9\\): connection refused`),
      ],
      [
        () => client.chat.completions.create({ model: 'keyless', messages }),
        502,
        null,
        new RegExp(`Secret ${a}/oa-key \\(key api-key\\) does not exist\\.`),
      ],
    ]
    for (const [work, status, param, message] of cases) {
      const error = await refused(work())
      assert.deepEqual([error.status, error.param], [status, param], error.message)
      assert.match(error.message, message)
      assert.ok(error.code !== null && error.type !== undefined, error.message)
    }
    const authorization = `Bearer ${gateway.kube.tokens['developer']}`
    const wrong = await fetch(`${gateway.url}/v1/chat/completions?key=secret`, { headers: { authorization } })
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST'])
    assert.equal(((await wrong.json()) as Wire).error.message, '/v1/chat/completions does not support GET: use POST.')
    const text = await fetch(`${gateway.url}/v1/embeddings`, { method: 'POST', headers: { authorization }, body: 'x' })
    assert.match(((await text.json()) as Wire).error.message, /^Content-Type must be application\/json/)
    const large = await refused(post('/embeddings', { model: 'm', input: 'x'.repeat(2 ** 20) }))
    assert.match(large.message, /larger than 1048576 bytes \(providers\.bodyLimit\)/)
    const port = Number(new URL(gateway.url).port)
    for (const head of [
      `GET /v1/%zz HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}`,
      `GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(20_000)}`,
    ]) {
      const answer = await exchangeRaw({ port }, `${head}\r\n\r\n`, 10_000)
      const { error } = JSON.parse(answer.text.slice(answer.text.indexOf('\r\n\r\n'))) as Wire
      assert.deepEqual([typeof error.message, error.type, error.param], ['string', 'invalid_request_error', null])
    }
  },
)

test('UXM20: SDKs wait and retry when the listener is overloaded', () => {
  const { write } = createErrorFormat({ bodyLimit: 1 })
  const refusal = write(new Fail('too_many_requests', 'limits.waitsPerCaller: 8 requests.', { retryAfter: 2 }), {
    isUnknown: false,
  })
  assert.deepEqual(
    [refusal.status, refusal.headers['retry-after'], refusal.contentType],
    [429, '2', 'application/json'],
  )
  const overload = write(new Fail('overloaded'), { isUnknown: false })
  assert.deepEqual([overload.status, overload.headers['retry-after']], [503, '1'])
  assert.equal((JSON.parse(overload.body) as Wire).error.type, 'api_error')
  const long = write(new Fail('not_found'), { method: 'GET', path: `/${'x'.repeat(10_000)}`, isUnknown: true })
  assert.ok(long.body.length < 1_000)
})

test('UXM20: the list has the models of every namespace, listed and reviewed as the caller', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a, b } = gateway.namespaces
  for (const namespace of [a, b]) await addRoute(gateway.admin, namespace, 'mock', { provider: { type: 'mock' } })
  await addRoute(gateway.admin, b, 'other', { provider: { type: 'mock' } })
  await addAgent(gateway.admin, a, 'robot')
  await addAgent(gateway.admin, b, 'secret')
  const ids = async (client: OpenAI): Promise<string[]> => (await client.models.list()).data.map(({ id }) => id)
  const own = [`${a}/mock`, `agent/${a}/robot`]
  assert.deepEqual(await ids(gateway.as('developer', {})), own)
  assert.deepEqual(await ids(gateway.as('developer')), own)
  assert.equal((await refused(gateway.as('developer', { 'x-mesh-namespace': b }).models.list())).status, 403)
  const all = await ids(gateway.as('admin', {}))
  assert.deepEqual(
    [`${b}/mock`, `agent/${b}/secret`].filter((id) => !all.includes(id)),
    [],
  )

  // A right to list alone shows nothing; a right to use one route shows that one.
  const role = (name: string, ...flags: string[]) => gateway.run('create', 'role', name, '-n', b, ...flags)
  await role('list', '--verb=list', '--resource=modelroutes.mesh.dev')
  await role('use', '--verb=create', '--resource=modelroutes.mesh.dev/invoke', '--resource-name=mock')
  await gateway.run('create', 'rolebinding', 'list', '-n', b, '--role=list', '--user=developer')
  assert.deepEqual(await ids(gateway.as('developer', {})), own)
  await gateway.run('create', 'rolebinding', 'use', '-n', b, '--role=use', '--user=developer')
  assert.deepEqual(await ids(gateway.as('developer', {})), [`${a}/mock`, `${b}/mock`, `agent/${a}/robot`])

  const client = gateway.as('developer')
  for (const id of own) assert.equal((await client.models.retrieve(id)).id, id)
  assert.equal((await client.models.retrieve('mock')).owned_by, a)
  const missing: [string, number, string][] = [
    [`${a}/none`, 404, 'model_not_found'],
    [`agent/${a}/none`, 404, 'model_not_found'],
    [`${b}/other`, 403, 'forbidden'],
    [`agent/${b}/secret`, 403, 'forbidden'],
    ['a/b/c', 400, 'invalid_body'],
    ['\0', 400, 'malformed_request'],
    [`${'x'.repeat(900)}/y`, 400, 'invalid_name'],
  ]
  for (const [id, status, code] of missing) {
    const error = await refused(client.models.retrieve(id))
    assert.deepEqual([id, error.status, error.code], [id, status, code])
  }
})

test('UXM20: a failed run is an error with its reason that SDKs do not retry', servers, async (t) => {
  const usage = { inputTokens: 1, outputTokens: 2 }
  let runs = 0
  const failed = { state: 'failed', output: null, error: { code: 'agent_error', message: 'division by zero' }, usage }
  const outcomes: Readonly<Record<string, Omit<AgentOutcome, 'runId'>>> = {
    fail: failed,
    stream: failed,
    pause: { ...failed, state: 'paused', error: null },
    late: { ...failed, state: 'running', error: null },
    lost: { ...failed, error: { code: 'lost_worker', message: 'lost_worker' } },
  }
  const invokeForGateway = async (call: AgentCall): Promise<AgentOutcome> => {
    const input = String(call.input)
    if (input === 'stream') call.onText('so far')
    runs++
    // The run exists, but its stream fails.
    if (input === 'away') throw new Fail('bus_unavailable')
    const outcome = outcomes[input]
    assert.ok(outcome)
    return { runId: `run-${runs}`, ...outcome }
  }
  const gateway = await startGateway(t, [
    contribute(agentRuns, {
      invokeForGateway,
      agentOf: async () => undefined,
      agentsAbove: async () => [],
    }),
  ])
  const model = `agent/${gateway.namespaces.a}/robot`
  const client = gateway.as('developer').withOptions({ maxRetries: 2 })
  const ask = (content: string) => client.chat.completions.create({ model, messages: [{ role: 'user', content }] })
  const cases: [string, number, string, RegExp][] = [
    ['fail', 502, 'agent_error', /The run run-1 ended as failed: agent_error: division by zero$/],
    ['pause', 409, 'run_paused', /run-2 is waiting for a person/],
    ['late', 504, 'run_not_finished', /run-3 has not ended in time/],
    ['lost', 502, 'lost_worker', /The run run-4 ended as failed: lost_worker$/],
  ]
  for (const [content, status, code, message] of cases) {
    const error = await refused(ask(content))
    assert.deepEqual([error.status, error.code], [status, code])
    assert.match(error.message, message)
    assert.equal(error.headers?.get('x-mesh-run-id'), `run-${runs}`)
  }
  assert.equal((await refused(ask('away'))).status, 503)
  assert.equal(runs, cases.length + 1, 'each call is one run')
  let text = ''
  const read = async (): Promise<void> => {
    const body = { model, stream: true as const, messages: [{ role: 'user' as const, content: 'stream' }] }
    for await (const chunk of await client.chat.completions.create(body)) text += chunk.choices[0]?.delta.content ?? ''
  }
  const error = await refused(read())
  assert.match(error.message, /run-6 ended as failed: agent_error: division by zero/)
  assert.deepEqual([text, error.code], ['so far', 'agent_error'])
})
