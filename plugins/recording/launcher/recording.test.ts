import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { mergeFixture, parsePart } from '#plugins/recording/contract/format/merge.ts'
import { listen } from '#test/harness/listen.ts'
import { post, readEvents, until } from '#launcher/testdata/launch.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'
import { gives, refusesWith, startToolServer } from '#launcher/testdata/tool-server.ts'

const runId = '019a0000-0000-7000-8000-000000000001'
const key = `sk-ant-${'a'.repeat(40)}`
const chat = (content: string, more = {}) => ({ model: 'mock', messages: [{ role: 'user', content }], ...more })

interface Agent {
  model(path: string, body: object, signal?: AbortSignal): Promise<{ status: number; text: string }>
  tool(name: string, args: object): Promise<number>
}

/** An agent with a process whose calls the test makes within a run, and its launcher with ports 2996 and 2999. */
async function start(
  t: TestContext,
  work: (agent: Agent) => Promise<unknown>,
  given: { reply?: GatewayReply; redact?: string[] } = {},
) {
  const state = await startToolServer(t, [{ name: 'x_find' }])
  const respond = async (headers: IncomingHttpHeaders): Promise<string> => {
    const of = { 'content-type': 'application/json', 'x-mesh-run-id': String(headers['x-mesh-run-id']) }
    const call = async (port: string, path: string, body: object, signal?: AbortSignal) => {
      const init = {
        method: 'POST',
        headers: of,
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }
      const answer = await fetch(`http://127.0.0.1:${proxied.open[port]}${path}`, init)
      return { status: answer.status, text: await answer.text() }
    }
    const output = await work({
      model: (path, body, signal) => call('budget', path, body, signal),
      tool: async (name, args) => (await call('discovery', `/tools/${name}/call`, { arguments: args })).status,
    })
    return JSON.stringify({ output })
  }
  const agent = createServer((request, response) => {
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    request.resume()
    void respond(request.headers).then((text) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    )
  })
  const { port } = new URL(await listen(t, agent))
  const proxied = await startProxied(t, {
    money: false,
    config: { plugins: { recording: { redact: given.redact ?? [] } } },
    env: { AGENT_PORT: port, DISCOVERY_PORT: '0', STATE_URL: state.url },
    ...(given.reply === undefined ? {} : { reply: given.reply }),
  })
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  const run = async (id = runId) => {
    await post(`${url}/invoke`, { input: {} }, { 'x-mesh-run-id': id })
    return (await readEvents(`${url}/runs/${id}/events`)).at(-1)?.data['output']
  }
  const ended = () =>
    until(() => state.parts.some((part) => parsePart(part)?.channel === 'end'), 'the end was recorded')
  return { ...proxied, state, run, ended, merged: () => mergeFixture(runId, state.parts) }
}

const failedCall = { kind: 'error', status: 502, code: 'tool_unavailable', message: 'why' }

test('a run is recorded with both channels: whole and streamed answers, errors, and no secret', async (t) => {
  const split: GatewayReply = (response, request) => {
    if (request.body['stream'] !== true) return completes(`whole ${key}`)(response, request)
    opens(response)
    // No part of the stream has the whole key.
    for (const part of ['My key: ', key.slice(0, 20), key.slice(20), ' and Hello'])
      response.write(frameOf({ content: part }))
    response.write(frameOf({}, 'stop'))
    response.end('data: [DONE]\n\n')
  }
  const { run, ended, merged, state } = await start(
    t,
    async ({ model, tool }) => {
      const streamed = await model('/v1/chat/completions', chat('a@example.com', { stream: true }))
      assert.ok(streamed.text.includes(key.slice(20)), 'the agent gets what the model says')
      await model('/v1/chat/completions', chat(`use ${key}`))
      await model('/v1/messages', { ...chat('hi'), max_tokens: 5, stream: true })
      state.reply = gives(`the token is ${key}`)
      assert.equal(await tool('x_find', { id: '7', headers: { Authorization: 'Basic c2VjcmV0' } }), 200)
      state.reply = refusesWith(502, 'tool_unavailable')
      return tool('x_find', { id: '8' })
    },
    { reply: split, redact: ['email', 'Hel+o'] },
  )
  assert.equal(await run(), 502)
  await ended()
  const { model, tool, ...rest } = merged()
  assert.deepEqual([rest.problems, rest.complete, rest.redact], [[], true, ['Hel+o', 'email']])
  const text = JSON.stringify(state.parts)
  for (const secret of [key, 'a@example.com', 'c2VjcmV0', 'Hello', key.slice(20)])
    assert.ok(!text.includes(secret), secret)
  const bodies = model.map(({ answer }) =>
    answer.kind === 'answer' ? (answer.body as Record<string, unknown>) : answer,
  )
  const [first, second, third] = bodies as [Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]
  assert.deepEqual(first['choices'], [
    { index: 0, message: { role: 'assistant', content: 'My key: [redacted] and [redacted]' }, finish_reason: 'stop' },
  ])
  assert.match(JSON.stringify(second), /whole \[redacted\]/)
  assert.deepEqual([third['type'], third['stop_reason']], ['message', 'end_turn'])
  assert.deepEqual(
    model.map(({ request }) => [request.operation, request.body?.['messages']]),
    [
      ['chat/completions', [{ role: 'user', content: '[redacted]' }]],
      ['chat/completions', [{ role: 'user', content: 'use [redacted]' }]],
      ['messages', [{ role: 'user', content: 'hi' }]],
    ],
  )
  assert.deepEqual(tool[0]?.request, {
    server: 'default/crm',
    name: 'x_find',
    tool: 'find',
    arguments: { id: '7', headers: { Authorization: '[redacted]' } },
  })
  assert.deepEqual(
    tool.map(({ answer }) => answer),
    [
      { kind: 'answer', body: { content: [{ type: 'text', text: 'the token is [redacted]' }], isError: false } },
      failedCall,
    ],
  )
  assert.ok([...model, ...tool].every(({ spanId, parentSpanId }) => spanId !== parentSpanId && parentSpanId !== null))
})

test('a call that its caller leaves, one that is too large, and one of no run: only what belongs to the run is recorded', async (t) => {
  const left = Promise.withResolvers<void>()
  const { run, ended, merged, url, state } = await start(
    t,
    async ({ model }) => {
      const gone = new AbortController()
      const leaving = model('/v1/chat/completions', chat('wait'), gone.signal).catch(() => left.resolve())
      await until(() => asked > 0, 'the gateway was called')
      gone.abort()
      await leaving
      await model('/v1/chat/completions', chat('x'.repeat(3 * 1024 * 1024)))
      return (await model('/v1/chat/completions', chat('long', { stream: true }))).status
    },
    {
      reply: (response, request) => {
        asked++
        const [message] = request.body['messages'] as { content: string }[]
        if (message?.content === 'wait') return
        if (message?.content !== 'long') return completes()(response, request)
        completes('word '.repeat(40_000))(response, request)
      },
    },
  )
  let asked = 0
  assert.equal(await run(), 200)
  await ended()
  const { model, problems } = merged()
  assert.deepEqual(
    model.map(({ answer }) => answer),
    [{ kind: 'aborted' }, { kind: 'omitted', reason: 'too_large' }, { kind: 'omitted', reason: 'too_large' }],
  )
  assert.deepEqual(
    model.map(({ request }) => request.body === null),
    [false, true, true],
  )
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['omitted', 'omitted'],
  )
  const before = state.parts.length
  assert.equal((await post(`${url}/v1/chat/completions`, chat('of no run'))).status, 200)
  assert.equal(state.parts.length, before)
})

test('H4: a state role that takes no part delays no call, and the rest is counted when it refuses', async (t) => {
  const calls = 5
  const answered = Promise.withResolvers<void>()
  const { run, state, merged } = await start(t, async ({ model }) => {
    for (let call = 0; call < calls; call++) assert.equal((await model('/v1/chat/completions', chat('hi'))).status, 200)
    answered.resolve()
    return 'done'
  })
  const open: (() => void)[] = []
  state.storesPart = (response) => void open.push(() => response.writeHead(204).end())
  assert.equal(await run(), 'done')
  await answered.promise
  await until(() => open.length > 0, 'a part waits for its answer, and no call did')
  state.storesPart = (response) =>
    void response.writeHead(429, { 'content-type': 'application/json' }).end('{"code":"recording_quota_exceeded"}')
  for (const answer of open) answer()
  await until(() => parsePart(state.parts.at(-1))?.channel === 'end', 'the end was sent')
  assert.equal(merged().model.length, calls, 'parts that had been made before the refusal were offered')
  assert.equal(await run('019a0000-0000-7000-8000-000000000002'), 'done')
})

test('a policy with a pattern that is not valid: calls work, and nothing is recorded but that they were made', async (t) => {
  const { run, ended, merged, lines } = await start(
    t,
    async ({ model }) => (await model('/v1/chat/completions', chat('hi'))).status,
    { redact: ['('] },
  )
  assert.equal(await run(), 200)
  await ended()
  const { model, problems } = merged()
  assert.deepEqual([model.length, problems.map(({ code }) => code)], [0, ['missing']])
  assert.ok(lines.some(({ msg }) => String(msg).includes('tracePolicy.redact')))
})
