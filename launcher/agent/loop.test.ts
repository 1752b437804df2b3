import assert from 'node:assert/strict'
import test from 'node:test'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { ChildRunRequest } from '#plugins/runs/contract/wire.ts'
import type { Interrupt } from '#schemas/runs/run.ts'
import { findUnstorable } from '#schemas/values/storable-text.ts'
import type { LaunchOptions } from '../testdata/launch.ts'
import { launch, post, readEvents, until } from '../testdata/launch.ts'
import { answers, startMemoryServer } from '../testdata/memory-server.ts'
import { calls, chunk, open, refuses, says, startModelServer } from '../testdata/model-server.ts'
import type { ModelReply } from '../testdata/model-server.ts'
import { CalculationError, calculate } from './calculate.ts'
import type { ChatMessage } from '../contract/loop/chat-messages.ts'
import { MAX_CONTEXT_BYTES, toContext, toTurn } from './turns.ts'

const tools = [{ name: 'time' }, { name: 'calculate' }, { name: 'ask_human' }]

async function launchLoop(t: Scope, script: readonly ModelReply[], options: LaunchOptions = {}) {
  const model = await startModelServer(t, script)
  const config = { systemPrompt: 'Be brief.', model: { route: 'mock' }, tools, ...options.config }
  const launched = await launch(t, {
    ...options,
    config,
    env: { MODEL_GATEWAY_URL: `${model.url}/v1`, ...options.env },
  })
  const start = async (runId: string, body: object) => {
    await post(`${launched.url}/invoke`, body, { 'x-mesh-run-id': runId })
    return readEvents(`${launched.url}/runs/${runId}/events`)
  }
  return { ...launched, model, start }
}

test('loop: system prompt, history and parameters go to the gateway; text streams; usage is counted', async (t) => {
  const folder = tempFolder('token')
  t.after(() => folder.remove())
  const tokenFile = join(folder.path, 'token')
  writeFileSync(tokenFile, 'pod-token\n')
  const { model, start } = await launchLoop(t, [says('Hel', 'lo')], {
    config: { model: { route: 'team/mock', requestFields: { temperature: 0.5 } } },
    env: { MODEL_GATEWAY_TOKEN_FILE: tokenFile },
  })
  const entries = await start('r1', { input: { q: 1 }, context: { history: [{ input: 'hi', output: 'hello' }] } })
  const [request] = model.requests
  assert.deepEqual(request?.body.messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'hello' },
    { role: 'user', content: '{"q":1}' },
  ])
  assert.deepEqual([request?.body.model, request?.body.temperature, request?.body.stream], ['team/mock', 0.5, true])
  assert.deepEqual(
    request?.body.tools?.map((tool) => tool.function.name),
    ['time', 'calculate', 'ask_human'],
  )
  assert.equal(request?.headers.authorization, 'Bearer pod-token')
  assert.equal(request?.headers['x-mesh-run-id'], 'r1')
  assert.equal(request?.headers['x-mesh-namespace'], 'default')
  const numbered = entries.filter(({ n }) => n !== undefined)
  assert.deepEqual(
    numbered.map(({ kind, n }) => [n, kind]),
    [
      [1, 'step.started'],
      [2, 'message.started'],
      [3, 'message.finished'],
      [4, 'usage.reported'],
      [5, 'step.finished'],
      [6, 'run.succeeded'],
    ],
  )
  const last = entries.at(-1)
  assert.equal(last?.data.output, 'Hello')
  assert.deepEqual(last?.data.usage, { inputTokens: 10, outputTokens: 5, cachedTokens: 2, reasoningTokens: 0 })
})

test('SEC6, F5: text of a model that the store refuses is sanitized; a character split between chunks is kept', async (t) => {
  const { model, start } = await launchLoop(t, [
    calls({ name: 'nothing', args: { 'a\0': '\ud800' }, id: 'c\0' }),
    says('a\0', 'b\ud83d', '\ude00', '', 'c\ud83d'),
  ])
  const entries = await start('r1', { input: 'x' })
  const last = entries.at(-1)
  assert.deepEqual([last?.kind, last?.data.output], ['run.succeeded', 'a\ufffdb\u{1f600}c\ufffd'])
  const deltas = entries.filter(({ kind }) => kind === 'message.delta').map(({ data }) => data.text)
  assert.equal(deltas.join(''), 'a\ufffdb\u{1f600}c\ufffd')
  const sent = JSON.stringify(model.requests[1]?.body.messages)
  assert.equal(findUnstorable(JSON.parse(sent)), undefined, sent)
})

test('loop: tools are called, their errors are returned to the model', async (t) => {
  const script = [
    calls({ name: 'calculate', args: { expression: '6 * 7' } }, { name: 'time', args: { timezone: 'Mars/Base' } }),
    calls({ name: 'nothing', args: {} }, { name: 'calculate', args: '{broken' }),
    says('42'),
  ]
  const { model, start } = await launchLoop(t, script)
  const entries = await start('r1', { input: 'what is 6 * 7?' })
  assert.equal(entries.at(-1)?.data.output, '42')
  const results = entries.filter(({ kind }) => kind === 'tool.finished').map(({ data }) => [data.name, data.isError])
  assert.deepEqual(results, [
    ['calculate', false],
    ['time', true],
    ['nothing', true],
    ['calculate', true],
  ])
  const second = model.requests[1]?.body.messages.slice(-3)
  assert.deepEqual(
    second?.map(({ role }) => role),
    ['assistant', 'tool', 'tool'],
  )
  assert.equal(second?.[1]?.content, '{"result":42}')
})

test('approvals: the call waits with a checkpoint; another launcher resumes it; a rejection is returned to the model', async (t) => {
  const config = { tools: [{ name: 'calculate', requireApproval: ['*'] }, { name: 'time' }] }
  const script = [calls({ name: 'time', args: {} }, { name: 'calculate', args: { expression: '1+1' } })]
  const first = await launchLoop(t, script, { config })
  const firstEntries = await first.start('r1', { input: 'add' })
  const paused = firstEntries.at(-1)
  assert.deepEqual([paused?.kind, paused?.data.pauseReason], ['run.paused', 'approval_required'])
  const [interrupt] = (paused?.data.interrupts ?? []) as Interrupt[]
  assert.deepEqual([interrupt?.tool, interrupt?.arguments], ['calculate', { expression: '1+1' }])
  assert.match(JSON.stringify(interrupt?.schema), /"required":\["expression"\]/, 'so that it can be edited')
  const resume = (decision: string, more = {}) => ({
    input: 'add',
    context: {
      resume: {
        resolutions: [{ interruptId: interrupt?.id, decision, reason: 'too risky', ...more }],
        checkpoint: paused?.data.checkpoint,
      },
    },
  })
  const second = await launchLoop(t, [says('2')], { config })
  const entries = await second.start('r1', resume('approve'))
  assert.equal(entries.at(-1)?.data.output, '2')
  assert.ok(!entries.some(({ kind }) => kind === 'interrupt.resolved'), 'UXL4: the platform wrote it')
  const parents = entries.filter(({ kind }) => kind === 'tool.started').map(({ data }) => data.parentSpanId)
  const asked = firstEntries.find(({ kind }) => kind === 'step.started')?.spanId
  assert.deepEqual(parents, [asked], 'UXM9: the tool is below the step that asked for it')
  const finished = entries.find(({ kind }) => kind === 'step.finished')
  assert.deepEqual([finished?.spanId, finished?.data.step], [asked, 1])
  const steps = [...firstEntries, ...entries].filter(({ kind }) => kind === 'step.started')
  assert.equal(new Set(steps.map(({ spanId }) => spanId)).size, 2, 'UXM9: one span per step')
  const [call] = entries.filter(({ kind }) => kind === 'usage.reported')
  assert.equal(call?.data.parentSpanId, steps[1]?.spanId)
  assert.equal(typeof call?.data.durationMs, 'number')
  const [time, sum] = second.model.requests[0]?.body.messages.slice(-2) ?? []
  assert.match(time?.content ?? '', /^\{"utc":/)
  assert.equal(sum?.content, '{"result":2}')
  const third = await launchLoop(t, [says('ok')], { config })
  const refused = await third.start('r1', resume('reject'))
  assert.equal(refused.at(-1)?.kind, 'run.succeeded')
  assert.match(third.model.requests[0]?.body.messages.at(-1)?.content ?? '', /the call was rejected: too risky/)
  const fourth = await launchLoop(t, [says('4')], { config })
  const edited = await fourth.start('r1', resume('approve', { arguments: { expression: '2+2' } }))
  const made = edited.findLast(({ kind }) => kind === 'tool.started')
  assert.deepEqual(made?.data.arguments, { expression: '2+2' })
  const said = fourth.model.requests[0]?.body.messages ?? []
  assert.equal(said.at(-1)?.content, '{"result":4}')
  assert.match(JSON.stringify(said), /\{\\"expression\\":\\"2\+2\\"\}/, 'the model reads the call that was made')
  assert.doesNotMatch(JSON.stringify(said), /1\+1/)
})

test('approvals: ask_human pauses for input, its answer is the result; a broken checkpoint fails the run', async (t) => {
  const { start, model, url } = await launchLoop(t, [
    calls({ name: 'ask_human', args: { question: 'Which?' } }),
    says('blue it is'),
  ])
  const paused = (await start('r1', { input: 'paint' })).at(-1)
  assert.equal(paused?.data.pauseReason, 'input_required')
  const [interrupt] = (paused?.data.interrupts ?? []) as { id: string; question: string }[]
  assert.equal(interrupt?.question, 'Which?')
  const resolutions = [{ interruptId: interrupt?.id, payload: { colour: 'blue' } }]
  const context = { resume: { resolutions, checkpoint: paused?.data.checkpoint } }
  assert.equal((await start('r1', { input: 'paint', context })).at(-1)?.data.output, 'blue it is')
  assert.equal(model.requests[1]?.body.messages.at(-1)?.content, '{"colour":"blue"}')
  const broken = { resume: { resolutions: [], checkpoint: { v: 1, messages: 'no' } } }
  const failed = (await post(`${url}/invoke`, { input: 'x', context: broken })).body
  assert.deepEqual([failed.state, failed.failReason], ['failed', 'agent_error'])
})

test('loop: invalid answers of the model are model_error, and the launcher keeps running', async (t) => {
  const script: [string, ModelReply, RegExp][] = [
    ['not JSON', (response) => (open(response), response.end('data: {"choices"\n\n')), /not JSON/],
    [
      'broken off',
      (response) => (open(response), chunk(response, { content: 'a' }), response.end()),
      /model response is incomplete/,
    ],
    [
      'cut',
      (response) => (open(response), chunk(response, { content: 'a' }), setImmediate(() => response.destroy())),
      /./,
    ],
    ['no name', calls({ name: '', args: {} }), /without a name/],
    [
      'an error frame',
      (response) => (open(response), response.end('data: {"error":{"message":"overloaded"}}\n\n')),
      /overloaded/,
    ],
    ['refused', refuses(400, 'bad'), /responded with 400: no/],
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), /not JSON/],
  ]
  const { url } = await launchLoop(
    t,
    script.map(([, reply]) => reply),
  )
  for (const [what, , message] of script) {
    const { body } = await post(`${url}/invoke`, { input: what })
    assert.deepEqual([what, body.state, body.failReason], [what, 'failed', 'model_error'])
    assert.match(String(body.message), message, what)
  }
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})

test('loop: budget and guardrail codes keep their reason; an overloaded route falls back', async (t) => {
  const budget = await launchLoop(t, [refuses(402, 'budget_exceeded'), refuses(403, 'guardrail_blocked')])
  assert.equal((await post(`${budget.url}/invoke`, { input: '' })).body.failReason, 'budget_exceeded')
  assert.equal((await post(`${budget.url}/invoke`, { input: '' })).body.failReason, 'guardrail_blocked')
  const config = { model: { route: 'a', fallbackRoutes: ['b', 'c'] } }
  const fallback = await launchLoop(t, [refuses(503, 'busy'), refuses(429, 'busy'), says('third')], { config })
  assert.equal((await post(`${fallback.url}/invoke`, { input: '' })).body.output, 'third')
  assert.deepEqual(
    fallback.model.requests.map(({ body }) => body.model),
    ['a', 'b', 'c'],
  )
})

test('B1: a run waits for the money of an agent above that pauses; only a used-up budget is waited for', async (t) => {
  const onExceed =
    (value: string, refuse: ModelReply): ModelReply =>
    (response, request) => {
      response.setHeader('x-mesh-on-exceed', value)
      refuse(response, request)
    }
  const used = refuses(402, 'budget_exceeded')
  const { start, model } = await launchLoop(t, [
    onExceed('pause', used),
    onExceed('fail', used),
    onExceed('pause', refuses(402, 'price_unknown')),
    says('done'),
  ])
  const paused = (await start('r1', { input: '' })).at(-1)
  assert.deepEqual([paused?.kind, paused?.data.pauseReason], ['run.paused', 'budget_hold'])
  for (const [id, reason] of [
    ['r2', 'budget_exceeded'],
    ['r3', 'model_error'],
  ] as const) {
    const failed = (await start(id, { input: '' })).at(-1)
    assert.deepEqual([failed?.kind, failed?.data.failReason], ['run.failed', reason], id)
  }
  const [interrupt] = (paused?.data.interrupts ?? []) as Interrupt[]
  const resolutions = [{ interruptId: interrupt?.id, decision: 'approve' }]
  const resume = { resolutions, checkpoint: paused?.data.checkpoint }
  const done = (await start('r1', { input: '', context: { resume } })).at(-1)
  assert.deepEqual([done?.kind, done?.data.output], ['run.succeeded', 'done'])
  assert.equal(model.requests.length, 4)
})

test('loop: every model call that fails is an entry with reason, status, provider and duration', async (t) => {
  const overload: ModelReply = (response) => {
    response.setHeader('x-mesh-provider', `team/${'p'.repeat(400)}`)
    refuses(503, 'busy')(response, { headers: {}, body: { model: '', messages: [] } })
  }
  const config = { model: { route: 'a', fallbackRoutes: ['b', 'c'] } }
  const { start } = await launchLoop(t, [overload, refuses(402, 'budget_exceeded')], { config })
  const failures = (entries: Awaited<ReturnType<typeof start>>) =>
    entries.filter(({ kind }) => kind === 'usage.reported').map(({ data }) => data)
  const [first, second] = failures(await start('r1', { input: '' }))
  assert.deepEqual(first?.error, {
    code: 'busy',
    message: 'the model gateway responded with 503: no',
    status: 503,
    provider: `team/${'p'.repeat(312)}`,
  })
  assert.deepEqual([first.route, typeof first.durationMs], ['a', 'number'])
  const refused = { code: 'budget_exceeded', message: 'the model gateway responded with 402: no', status: 402 }
  assert.deepEqual([second?.route, second?.error], ['b', refused])
  const limits = { timeout: '3s' }
  const silent = await launchLoop(t, [() => undefined], { config: { ...config, limits } })
  const entries = await silent.start('r1', { input: '' })
  assert.equal(entries.at(-1)?.kind, 'run.timed_out')
  const [stopped] = failures(entries)
  assert.deepEqual(stopped?.error, { code: 'model_error', message: 'the run was stopped (timeout)' })
})

test('limits: maxSteps ends a loop, a timeout and a cancel abort the model call', async (t) => {
  const endless = await launchLoop(t, [calls({ name: 'time', args: {} })], { config: { limits: { maxSteps: 3 } } })
  const { body } = await post(`${endless.url}/invoke`, { input: '' })
  assert.match(String(body.message), /maxSteps \(3\)/)
  assert.equal(endless.model.requests.length, 3)
  let closed = 0
  const hanging: ModelReply = (response) => {
    open(response)
    chunk(response, { content: 'thinking' })
    response.on('close', () => closed++)
  }
  const slow = await launchLoop(t, [hanging], { config: { limits: { timeout: '3s' } } })
  assert.equal((await post(`${slow.url}/invoke`, { input: '' })).body.state, 'timed_out')
  await until(() => closed === 1, 'the model call was aborted')
  const cancelled = await launchLoop(t, [hanging])
  await post(`${cancelled.url}/invoke`, { input: '' }, { 'x-mesh-run-id': 'r1' })
  await readEvents(`${cancelled.url}/runs/r1/events`, { until: ({ kind }) => kind === 'message.delta' })
  assert.equal((await post(`${cancelled.url}/runs/r1/cancel`)).body.state, 'cancelled')
  await until(() => closed === 2, 'the model call was aborted')
})

/** Answers `POST /runs` and `GET /runs/{id}` as the state role does. */
async function startStateRole(t: Scope) {
  const created: { body: ChildRunRequest; authorization: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method === 'GET') return json(200, { id: 'child', state: 'succeeded', output: 'done' })
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChildRunRequest
    created.push({ body, authorization: request.headers.authorization })
    if (body.agent.name === 'stranger') return json(404, { code: 'not_found', detail: 'no such agent' })
    if (body.agent.name === 'private') return json(403, { code: 'forbidden', detail: 'not yours' })
    return json(201, { id: 'child', state: 'queued' })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, created }
}

test('delegate: the loop delegates and waits; the run has an entry for the call', async (t) => {
  const state = await startStateRole(t)
  const script = [calls({ name: 'delegate', args: { agent: 'helper', input: 'dig' } }), says('dug')]
  const { start } = await launchLoop(t, script, { config: { delegates: ['helper'] }, env: { STATE_URL: state.url } })
  const entries = await start('r1', { input: 'dig a hole' })
  assert.equal(entries.at(-1)?.data.output, 'dug')
  const { deadline = '', ...sent } = state.created[0]?.body ?? {}
  assert.deepEqual(sent, {
    agent: { namespace: 'default', name: 'helper' },
    input: 'dig',
    mode: 'spawn',
    maxDepth: 8,
    parentRunId: 'r1',
  })
  const leftMs = Date.parse(deadline) - Date.now()
  assert.ok(leftMs > 0 && leftMs <= 600_000, `the run has ten minutes, the child gets ${leftMs} ms`)
  const noted = entries.filter(({ kind }) => kind.startsWith('delegate.')).map(({ kind, data }) => [kind, data.runId])
  assert.deepEqual(noted, [
    ['delegate.started', 'child'],
    ['delegate.finished', 'child'],
  ])
})

test('H5: the loop remembers and recalls where long-term memory is bound; an outage is a result, not the end', async (t) => {
  const memory = await startMemoryServer(t)
  memory.reply = (response, request) =>
    request.path === '/memory/items' ? answers(201, { id: 'i1' })(response, request) : void response.destroy()
  const script = [
    calls({ name: 'remember', args: { text: 'likes tea' } }),
    calls({ name: 'recall', args: { query: 'tea' } }),
    says('done'),
  ]
  const config = { plugins: { memory: { longTerm: true } } }
  const env = { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: memory.url }
  const { start, model } = await launchLoop(t, script, { config, env })
  const entries = await start('r1', { input: 'I like tea' })
  assert.equal(entries.at(-1)?.data.output, 'done')
  assert.deepEqual(
    memory.requests.map(({ path, text, headers }) => [path, JSON.parse(text), headers['x-mesh-run-id']]),
    [
      ['/memory/items', { text: 'likes tea' }, 'r1'],
      ['/memory/items/search', { query: 'tea', limit: 10 }, 'r1'],
    ],
  )
  const offered = model.requests[0]?.body.tools?.map((tool) => tool.function.name)
  assert.deepEqual(offered, ['time', 'calculate', 'remember', 'recall', 'ask_human'])
  const shown = JSON.stringify(model.requests.at(-1)?.body.messages)
  assert.match(shown, /stored[^]*i1/)
  assert.match(shown, /The memory cannot be reached/)
})

test('F7: session memory is the context of a run and gets its turn; the state role knows whose it is by the run', async (t) => {
  const memory = await startMemoryServer(t)
  const earlier = [
    { role: 'user', content: 'I like tea' },
    { role: 'assistant', content: 'noted' },
  ]
  const stored = [{ runId: 'r0', messages: earlier }, { runId: 'broken', messages: [{ role: 'x' }] }, 'odd']
  memory.reply = (response, request) =>
    (request.method === 'GET' ? answers(200, stored) : answers(201, { length: 3 }))(response, request)
  const script = [calls({ name: 'calculate', args: { expression: '6 * 7' }, id: 'c1' }), says('42')]
  const config = { plugins: { memory: { session: true } } }
  const env = { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: memory.url }
  const { start, model } = await launchLoop(t, script, { config, env })
  const history = [{ input: 'of another store', output: 'unused' }]
  const entries = await start('r1', { input: '6 * 7?', conversationId: 'chosen', context: { history } })
  assert.equal(entries.at(-1)?.data.output, '42')
  const system = { role: 'system', content: 'Be brief.' }
  assert.deepEqual(model.requests[0]?.body.messages, [system, ...earlier, { role: 'user', content: '6 * 7?' }])
  const [read, append] = memory.requests
  assert.deepEqual(
    [read, append].map((one) => [one?.method, one?.path, one?.headers['x-mesh-run-id']]),
    [
      ['GET', '/memory/turns', 'r1'],
      ['POST', '/memory/turns', 'r1'],
    ],
  )
  const { messages } = JSON.parse(append?.text ?? '') as { messages: { role: string; content: string | null }[] }
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      ['user', '6 * 7?'],
      ['assistant', null],
      ['tool', '{"result":42}'],
      ['assistant', '42'],
    ],
  )
  assert.doesNotMatch(`${read?.path} ${append?.text}`, /chosen/, 'the launcher does not name the conversation')
})

test('H5: without its session memory a run has the history of its conversation, and succeeds', async (t) => {
  const memory = await startMemoryServer(t)
  memory.reply = answers(429, { code: 'memory_quota_exceeded' })
  const config = { plugins: { memory: { session: true } } }
  const env = { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: memory.url }
  const { start, model } = await launchLoop(t, [says('a'), says('b')], { config, env })
  const context = { history: [{ input: 'hi', output: 'hello' }] }
  assert.equal((await start('r1', { input: 'x', context })).at(-1)?.kind, 'run.succeeded')
  memory.reply = (response) => void response.destroy()
  assert.equal((await start('r2', { input: 'x', context })).at(-1)?.kind, 'run.succeeded')
  for (const { body } of model.requests) assert.equal(body.messages?.[1]?.content, 'hi')
})

test('F5: whole turns within the bytes of the context, newest first; a turn that is too large keeps its ends', () => {
  const turnOf = (content: string): ChatMessage[] => [
    { role: 'user', content },
    { role: 'assistant', content: 'a' },
  ]
  const large = 'x'.repeat(MAX_CONTEXT_BYTES / 2)
  const stored = [turnOf('first'), turnOf(large), turnOf('third'), turnOf(large)].map((messages) => ({ messages }))
  assert.deepEqual(toContext(stored), [...turnOf('third'), ...turnOf(large)])
  assert.deepEqual(toContext({ no: 'list' }), [])
  const tool: ChatMessage = { role: 'tool', tool_call_id: 'c', content: 'x'.repeat(300_000) }
  const [input, output] = turnOf('in')
  assert.deepEqual(toTurn([...turnOf('earlier'), input!, tool, output!]), [input, output])
  assert.equal(toTurn(turnOf('x'.repeat(300_000))), undefined)
})

test('delegate: port 2994 waits, detaches, and belongs to the named or only run', async (t) => {
  const state = await startStateRole(t)
  const hanging: ModelReply = (response) => (open(response), chunk(response, { content: '.' }))
  const delegates = ['helper', 'other/helper', 'stranger', 'private', 'a']
  const launched = await launchLoop(t, [hanging], { config: { delegates }, env: { STATE_URL: state.url } })
  const url = `http://127.0.0.1:${await launched.port2994()}`
  const waited = await post(`${url}/delegate`, { agent: 'other/helper', input: 1 })
  assert.deepEqual([waited.status, waited.body.runId, waited.body.output], [200, 'child', 'done'])
  assert.equal(state.created[0]?.body.parentRunId, undefined)
  assert.deepEqual(state.created[0]?.body.agent, { namespace: 'other', name: 'helper' })
  const detached = await post(`${url}/delegate`, { agent: 'helper', input: 1, wait: false })
  assert.deepEqual([detached.status, detached.body], [202, { runId: 'child' }])
  assert.equal((await post(`${url}/delegate`, { agent: 'helper', input: 1, mode: 'handoff' })).status, 202)
  await post(`${launched.url}/invoke`, { input: '' }, { 'x-mesh-run-id': 'r1' })
  await post(`${url}/delegate`, { agent: 'helper', input: 1 })
  assert.equal(state.created.at(-1)?.body.parentRunId, 'r1')
  const cases: [object, number, string][] = [
    [{ agent: 'stranger', input: 1 }, 404, 'unknown_target'],
    [{ agent: 'private', input: 1 }, 403, 'delegation_refused'],
    [{ agent: 'unlisted', input: 1 }, 403, 'delegate_not_allowed'],
    [{ agent: '../x', input: 1 }, 400, 'malformed_request'],
    [{ agent: 'a', input: 1, mode: 'fly' }, 400, 'malformed_request'],
    [{ agent: 'a', input: 1, timeout: 'soon' }, 400, 'malformed_request'],
    ...['0s', '25d', '50d'].map((timeout): [object, number, string] => [
      { agent: 'a', input: 1, timeout },
      400,
      'malformed_request',
    ]),
  ]
  for (const [body, status, code] of cases) {
    const answer = await post(`${url}/delegate`, body)
    assert.deepEqual([answer.status, answer.body.error], [status, code])
  }
  const stranger = await post(`${url}/delegate`, { agent: 'a', input: 1 }, { 'x-mesh-run-id': 'unknown' })
  assert.equal(stranger.status, 404)
})

test('calculate: arithmetic as written, and nothing else', () => {
  const cases: [string, number][] = [
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['10 % 4', 2],
    ['max(1, 2, sqrt(16))', 4],
    ['1.5e3 / 3', 500],
    ['2 * PI', 2 * Math.PI],
    ['--1', 1],
  ]
  for (const [expression, value] of cases) assert.equal(calculate(expression), value, expression)
  const bad = [
    '',
    '1 +',
    '1 / 0',
    'process.exit()',
    'constructor(1)',
    '(1',
    '1 2',
    'sqrt 4',
    '9 ^ 9 ^ 9',
    '('.repeat(900),
    '1;2',
  ]
  for (const expression of bad) assert.throws(() => calculate(expression), CalculationError, expression)
})
