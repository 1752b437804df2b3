import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { listen } from '#test/harness/listen.ts'
import { post, readEvents } from '#launcher/testdata/launch.ts'
import { refusing } from '#launcher/testdata/money-server.ts'
import { completes, startProxied } from '#launcher/testdata/proxied-launcher.ts'

const chat = { model: 'mock', messages: [{ role: 'user', content: 'hello' }] }
const counted = { inputTokens: 9, outputTokens: 5, cachedTokens: 0, reasoningTokens: 0 }

/** An agent whose invocations the test handles, and its launcher with port 2996. */
async function startAgent(
  t: TestContext,
  invoked: (headers: IncomingHttpHeaders, callModel: CallModel) => Promise<unknown>,
) {
  const callModel: CallModel = async (headers) => {
    const answer = await fetch(`${proxied.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(chat),
    })
    return { status: answer.status, runId: answer.headers.get('x-mesh-run-id'), text: await answer.text() }
  }
  const respond = async (headers: IncomingHttpHeaders, response: ServerResponse): Promise<void> => {
    const output = await invoked(headers, callModel)
    const usage = { inputTokens: 1000, outputTokens: 1000 }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output, usage }))
  }
  const agent = createServer((request, response) => {
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    request.resume()
    void respond(request.headers, response)
  })
  const agentPort = new URL(await listen(t, agent)).port
  const proxied = await startProxied(t, {
    config: { limits: { concurrency: 2 } },
    env: { AGENT_PORT: agentPort },
  })
  const { open } = proxied
  return { ...proxied, invokeUrl: `http://127.0.0.1:${open['invoke']}` }
}

type CallModel = (headers: Record<string, string>) => Promise<{ status: number; runId: string | null; text: string }>

const run = (id: string) => ({ 'x-mesh-run-id': id })

test('calls belong to the run of X-Mesh-Run-Id or traceparent, else to the only active run', async (t) => {
  const both = Promise.withResolvers<void>()
  let started = 0
  const agent = await startAgent(t, async (headers, callModel) => {
    const id = String(headers['x-mesh-run-id'])
    if (id === 'alone') return (await callModel({})).runId
    if (++started === 2) both.resolve()
    await both.promise
    const byId = await callModel({ 'x-mesh-run-id': id })
    const byTrace = await callModel({ traceparent: String(headers['traceparent']) })
    const unnamed = await callModel({})
    return [byId.runId, byTrace.runId, unnamed.runId]
  })
  const outputOf = async (id: string): Promise<unknown> => {
    await post(`${agent.invokeUrl}/invoke`, { input: {} }, run(id))
    const entries = await readEvents(`${agent.invokeUrl}/runs/${id}/events`)
    return entries.at(-1)?.data['output']
  }
  const outputs = await Promise.all([outputOf('r1'), outputOf('r2')])
  assert.deepEqual(outputs, [
    ['r1', 'r1', null],
    ['r2', 'r2', null],
  ])
  assert.equal(await outputOf('alone'), 'alone')
  const held = agent.money.holds().map(({ body }) => body['runId'])
  assert.deepEqual(held.toSorted(), ['alone', null, null, 'r1', 'r1', 'r2', 'r2'].toSorted())
})

test('usage and cost of a call are in the journal once, before the agent reads the end of its answer, and only as measured', async (t) => {
  const agent = await startAgent(t, async (_, callModel) => {
    await callModel({})
    agent.money.faults.push(refusing(/holds$/, 402, 'budget_exceeded'))
    return (await callModel({})).status
  })
  await post(`${agent.invokeUrl}/invoke`, { input: {} }, run('r1'))
  const entries = await readEvents(`${agent.invokeUrl}/runs/r1/events`)
  const [ok, refused, ...more] = entries.filter(({ kind }) => kind === 'usage.reported')
  assert.deepEqual(more, [], 'what the agent reports is not counted')
  const { durationMs, parentSpanId, ...about } = ok?.data ?? {}
  assert.equal(typeof durationMs, 'number')
  const runSpan = agent.spans().find((span) => span['name'] === 'run')
  assert.equal(parentSpanId, runSpan?.['spanId'])
  assert.deepEqual(about, {
    route: 'default/mock',
    model: 'test-1',
    cost: { amount: '0.25', currency: 'USD' },
    usage: counted,
  })
  const error = { code: 'budget_exceeded', message: 'detail of budget_exceeded', status: 402 }
  assert.deepEqual(refused?.data['error'], error)
  const outcome = entries.at(-1)
  assert.deepEqual([outcome?.kind, outcome?.data['output'], outcome?.data['usage']], ['run.succeeded', 402, counted])
  const calls = agent.spans().filter((span) => span['name'] === 'model call')
  assert.deepEqual(
    calls.map((span) => [span['spanId'], span['traceId'], span['status']]),
    [
      [ok?.spanId, runSpan?.['traceId'], 'ok'],
      [refused?.spanId, runSpan?.['traceId'], 'error'],
    ],
    'one span for each call',
  )
})

test('the built-in loop calls within the budget, and reports cost and usage once', async (t) => {
  const proxied = await startProxied(t, { command: [], config: { model: { route: 'mock' }, systemPrompt: 'Help.' } })
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  await post(`${url}/invoke`, { input: 'hi' }, run('r1'))
  const entries = await readEvents(`${url}/runs/r1/events`)
  const usage = entries.filter(({ kind }) => kind === 'usage.reported')
  assert.equal(usage.length, 1)
  assert.deepEqual(usage[0]?.data['cost'], { amount: '0.25', currency: 'USD' })
  assert.equal(entries.at(-1)?.data['output'], 'Hello there, agent.')
  assert.deepEqual(entries.at(-1)?.data['usage'], counted)
  assert.deepEqual([proxied.money.holds().length, proxied.money.settlements().length], [1, 1])
  assert.equal(proxied.money.holds()[0]?.body['runId'], 'r1')
  assert.equal(proxied.spans().filter((span) => span['name'] === 'model call').length, 1)

  proxied.money.faults.push(refusing(/holds$/, 402, 'budget_exceeded'))
  await post(`${url}/invoke`, { input: 'hi' }, run('r2'))
  const failed = (await readEvents(`${url}/runs/r2/events`)).at(-1)
  assert.deepEqual([failed?.kind, failed?.data['failReason']], ['run.failed', 'budget_exceeded'])
  proxied.money.faults.pop()
  proxied.gateway.reply = (response) =>
    void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"bad","code":"b"}}')
  await post(`${url}/invoke`, { input: 'hi' }, run('r3'))
  const refused = (await readEvents(`${url}/runs/r3/events`)).at(-1)
  assert.equal(refused?.data['message'], 'the model gateway responded with 400: bad')
  proxied.gateway.reply = completes()
})

test('B1: the built-in loop and callers of the port learn that an agent above pauses', async (t) => {
  const proxied = await startProxied(t, { command: [], config: { model: { route: 'mock' } } })
  proxied.gateway.reply = (response) => {
    response.writeHead(402, { 'content-type': 'application/json', 'x-mesh-on-exceed': 'pause' })
    response.end('{"error":{"message":"used up","code":"budget_exceeded"}}')
  }
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  await post(`${url}/invoke`, { input: 'hi' }, run('r1'))
  const paused = (await readEvents(`${url}/runs/r1/events`)).at(-1)
  assert.deepEqual([paused?.kind, paused?.data['pauseReason']], ['run.paused', 'budget_hold'])
  const body = JSON.stringify(chat)
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${proxied.url}/v1/chat/completions`, { method: 'POST', headers, body })
  await answer.text()
  assert.deepEqual([answer.status, answer.headers.get('x-mesh-on-exceed')], [402, 'pause'])
})

test('B1: the built-in loop pauses when the budget is used up, and continues the call in the same step', async (t) => {
  const proxied = await startProxied(t, { command: [], config: { model: { route: 'mock' } } })
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  const used = refusing(/holds$/, 402, 'budget_exceeded', { 'x-mesh-on-exceed': 'pause' })
  const attempt = async (resume?: object) => {
    const context = resume === undefined ? {} : { context: { resume } }
    await post(`${url}/invoke`, { input: 'hi', ...context }, run('r1'))
    const entries = await readEvents(`${url}/runs/r1/events`)
    const { kind, data = {} } = entries.at(-1) ?? {}
    const [interrupt] = (data['interrupts'] ?? []) as { id: string; reason: string; question: string }[]
    return { entries, kind, data, interrupt }
  }
  proxied.money.faults.push(used)
  const first = await attempt()
  assert.deepEqual([first.kind, first.data['pauseReason']], ['run.paused', 'budget_hold'])
  assert.deepEqual([first.interrupt?.reason, first.interrupt?.question], ['budget_hold', 'detail of budget_exceeded'])
  const resumed = ({ interrupt, data }: typeof first) => ({
    resolutions: [{ interruptId: interrupt?.id, decision: 'approve' }],
    checkpoint: data['checkpoint'],
  })
  const again = await attempt(resumed(first))
  assert.equal(again.data['pauseReason'], 'budget_hold', 'there is no money yet')
  assert.notEqual(again.interrupt?.id, first.interrupt?.id)
  assert.equal(proxied.gateway.requests.length, 0)
  proxied.money.faults.pop()
  const done = await attempt(resumed(again))
  assert.deepEqual([done.kind, done.data['output']], ['run.succeeded', 'Hello there, agent.'])
  assert.equal(done.entries.filter(({ kind }) => kind === 'step.started').length, 0, 'the step was started before')
  assert.equal(done.entries.find(({ kind }) => kind === 'step.finished')?.data['step'], 1)
})
