import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { listen } from '#test/harness/listen.ts'
import { post as postJson, readEvents } from '#launcher/testdata/launch.ts'
import { refusing } from '#launcher/testdata/money-server.ts'
import type { MoneyFault } from '#launcher/testdata/money-server.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'

const chat = { model: 'mock', messages: [{ role: 'user', content: 'hello' }] }
const word = 'MAGENTA-7'

/** The state role's answer for policies with these rules. */
function policies(rules: readonly GuardrailRule[], digest = 'd1'): MoneyFault {
  return (request, response) => {
    if (request.path !== '/guardrails') return false
    const body = { digest, policies: [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return true
  }
}

const rule = (action: GuardrailRule['action'], stages?: GuardrailRule['stages']): GuardrailRule => ({
  name: 'words',
  action,
  ...(stages === undefined ? {} : { stages }),
  regex: { patterns: ['MAGENTA-[0-9]'] },
})

function startGuarded(t: TestContext, ...rules: GuardrailRule[]) {
  return startGuardedBy(t, { plugins: { budgets: { money: true }, guardrails: { enabled: true } } }, ...rules)
}

interface Guarded {
  readonly plugins: Record<string, object>
  readonly env?: Record<string, string>
}

async function startGuardedBy(t: TestContext, { plugins, env = {} }: Guarded, ...rules: GuardrailRule[]) {
  const proxied = await startProxied(t, { config: { plugins }, env })
  if (rules.length > 0) proxied.money.faults.push(policies(rules))
  const post = (body: object, path = '/v1/chat/completions', run?: string) =>
    fetch(proxied.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-mesh-guarded': 'forged',
        ...(run === undefined ? {} : { 'x-mesh-run-id': run }),
      },
      body: JSON.stringify(body),
    })
  return { ...proxied, post }
}

/** The text of a streamed chat completion. */
function textIn(stream: string): string {
  return [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('')
}

test('a blocked request is not forwarded, gives its money back, and names policy and rule only', async (t) => {
  const guarded = await startGuarded(t, rule('block', ['request']))
  const answer = await guarded.post({ ...chat, messages: [{ role: 'user', content: `say ${word}` }] })
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  assert.deepEqual([answer.status, error.code], [403, 'guardrail_blocked'])
  assert.match(error.message, /words.*default\/p/)
  assert.equal(error.message.includes(word), false)
  assert.equal(guarded.gateway.requests.length, 0)
  assert.deepEqual([guarded.money.holds().length, guarded.money.releases().length], [1, 1])
  assert.equal((await guarded.post(chat)).status, 200)
  assert.equal(guarded.gateway.requests[0]?.headers['x-mesh-guarded'], undefined, 'without a key there is no proof')
  const tokens = await guarded.post({ model: 'mock', input: [1, 2] }, '/v1/embeddings')
  assert.equal(tokens.status, 400, 'tokens cannot be read')
})

test('money of agents above is held before guardrails, for runs that other agents have begun', async (t) => {
  const agent = createServer((request, response) => {
    const ask = async (): Promise<void> => {
      const run = String(request.headers['x-mesh-run-id'])
      const answer = await guarded.post({ ...chat, messages: [{ role: 'user', content: word }] }, undefined, run)
      const { error } = (await answer.json()) as { error: { code: string } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: error.code }))
    }
    request.resume()
    if (request.url === '/invoke') void ask()
    else response.writeHead(404).end()
  })
  const agentPort = new URL(await listen(t, agent)).port
  const plugins = { budgets: { money: 'inherited' }, guardrails: { enabled: true } }
  const guarded = await startGuardedBy(t, { plugins, env: { AGENT_PORT: agentPort } }, rule('block', ['request']))
  const url = `http://127.0.0.1:${guarded.open['invoke']}`
  const codeOf = async (runId: string, context: object = {}): Promise<unknown> => {
    await postJson(`${url}/invoke`, { input: 'go', ...context }, { 'x-mesh-run-id': runId })
    return (await readEvents(`${url}/runs/${runId}/events`)).at(-1)?.data['output']
  }
  const counts = () => [guarded.money.holds().length, guarded.money.releases().length]
  const below = { context: { lineage: { rootRunId: 'r0', path: ['default/root'] } } }
  assert.equal(await codeOf('r1'), 'guardrail_blocked')
  assert.deepEqual(counts(), [0, 0], 'no agent is above')
  assert.equal(await codeOf('r2', below), 'guardrail_blocked')
  assert.deepEqual(counts(), [1, 1])
  assert.equal(guarded.money.holds()[0]?.body['runId'], 'r2')
  guarded.money.faults.push(refusing(/holds$/, 404, 'unbudgeted'))
  assert.equal(await codeOf('r3', below), 'guardrail_blocked')
  guarded.money.faults.splice(1, 1, refusing(/holds$/, 402, 'budget_exceeded'))
  assert.equal(await codeOf('r4', below), 'budget_exceeded')
  assert.equal((await guarded.post(chat)).status, 402, 'it may belong to any run')
  assert.equal(guarded.gateway.requests.length, 0)
})

test('a rule that requires approval refuses the call with its own code', async (t) => {
  const guarded = await startGuarded(t, rule('require_approval', ['request']))
  const answer = await guarded.post({ ...chat, messages: [{ role: 'user', content: word }] })
  const { error } = (await answer.json()) as { error: { code: string } }
  assert.deepEqual([answer.status, error.code], [403, 'guardrail_approval_required'])
})

test('results of tools in a request pass the rules on tool calls', async (t) => {
  const guarded = await startGuarded(t, rule('block', ['tool_call']))
  const asked = (role: string) => guarded.post({ ...chat, messages: [{ role, tool_call_id: 'c', content: word }] })
  assert.deepEqual([(await asked('user')).status, (await asked('tool')).status], [200, 403])
})

test('a request is masked in each of its texts before it is forwarded', async (t) => {
  const guarded = await startGuarded(t, rule('mask', ['request']))
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: `{"a":"${word}"}` } }
  const messages = [
    { role: 'user', content: [{ type: 'text', text: `x ${word}` }] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: word },
  ]
  for (const stream of [false, true]) await (await guarded.post({ ...chat, stream, messages })).text()
  for (const { text } of guarded.gateway.requests) {
    assert.equal(text.includes(word), false)
    assert.equal(text.match(/\[masked\]/g)?.length, 3)
  }
})

test('a stream cut at each byte of a match is masked as the whole answer, and nothing of the match is sent', async (t) => {
  const guarded = await startGuarded(t, rule('mask', ['response']))
  const text = `before ${word} after`
  for (let size = 1; size <= text.length; size++) {
    guarded.gateway.reply = (response) => {
      opens(response)
      response.write(frameOf({ role: 'assistant', content: '' }))
      for (let at = 0; at < text.length; at += size) response.write(frameOf({ content: text.slice(at, at + size) }))
      response.write(frameOf({}, 'stop'))
      response.write('data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n')
      response.end('data: [DONE]\n\n')
    }
    const stream = await (await guarded.post({ ...chat, stream: true })).text()
    assert.equal(textIn(stream), 'before [masked] after', `parts of ${size}`)
    assert.match(stream, /"finish_reason":"stop".*\n\n: x-mesh-cost[^]*\[DONE\]\n\n$/)
  }
})

test('a blocked answer ends as an error, whole and within a stream, and is paid for', async (t) => {
  const guarded = await startGuarded(t, rule('block', ['response']))
  guarded.gateway.reply = (response, { body, path }) => {
    const message = { role: 'assistant', content: `it is ${word}` }
    const usage = { prompt_tokens: 1, completion_tokens: 2 }
    if (body['stream'] !== true) {
      const text = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      return
    }
    opens(response)
    response.write(frameOf({ content: message.content }))
    response.write(frameOf({}, 'stop'))
    // A message has no finish before its end.
    if (path === '/v1/messages') response.end('data: [DONE]\n\n')
  }
  const whole = await guarded.post(chat)
  assert.deepEqual(
    [whole.status, ((await whole.json()) as { error: { code: string } }).error.code],
    [403, 'guardrail_blocked'],
  )
  assert.deepEqual(guarded.money.settlements()[0]?.body['outcome'], 'succeeded')
  const stream = await (await guarded.post({ ...chat, stream: true })).text()
  assert.match(stream, /data: \{"error":\{[^\n]*"code":"guardrail_blocked"\}\}\n\n$/)
  assert.equal(stream.includes(word), false)
  const { estimated, usage } = (guarded.money.settlements()[1]?.body ?? {}) as {
    estimated: boolean
    usage: { inputTokens: number }
  }
  assert.deepEqual([estimated, usage.inputTokens > 0], [true, true])
  const message = await guarded.post({ ...chat, max_tokens: 5, stream: true }, '/v1/messages')
  assert.match(await message.text(), /event: error\ndata: \{"type":"error","error":\{"type":"permission_error"/)
})

test('tool calls reach the caller when they are complete and decided', async (t) => {
  const guarded = await startGuarded(t, rule('mask', ['tool_call']))
  const json = `{"a":"${word}"}`
  guarded.gateway.reply = (response) => {
    opens(response)
    for (let at = 0; at < json.length; at += 4) {
      const first = at === 0 ? { id: 'c1', type: 'function' } : {}
      const named = { ...(at === 0 ? { name: 'f' } : {}), arguments: json.slice(at, at + 4) }
      response.write(frameOf({ tool_calls: [{ index: 0, ...first, function: named }] }))
    }
    response.write(frameOf({}, 'tool_calls'))
    response.end('data: [DONE]\n\n')
  }
  const stream = await (await guarded.post({ ...chat, stream: true })).text()
  const [frame = ''] = stream.split('\n\n')
  const [choice] = (JSON.parse(frame.slice(6)) as { choices: { delta: object }[] }).choices
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"[masked]"}' } }
  assert.deepEqual(choice?.delta, { tool_calls: [call] })
})

test('an answer in a form that rules cannot read is not passed on', async (t) => {
  const guarded = await startGuarded(t, rule('mask'))
  for (const delta of [{ content: [{ text: word }] }, { function_call: { name: 'f' } }, { tool_calls: 'x' }]) {
    guarded.gateway.reply = (response) => {
      opens(response)
      response.end(frameOf(delta))
    }
    const stream = await (await guarded.post({ ...chat, stream: true })).text()
    assert.match(stream, /^data: \{"error":\{[^\n]*"code":"bad_gateway"/)
  }
  guarded.gateway.reply = (response) => {
    opens(response)
    const choice = {
      index: 0,
      delta: { content: 'ok' },
      logprobs: { content: [{ token: word }] },
      finish_reason: 'stop',
    }
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`)
  }
  assert.equal((await (await guarded.post({ ...chat, stream: true })).text()).includes(word), false)
})

test('without policies no call is made, and a state role that is down changes none', async (t) => {
  const guarded = await startGuarded(t)
  const code = async () => {
    const answer = await guarded.post({ ...chat, messages: [{ role: 'user', content: word }] })
    return ((await answer.json()) as { error?: { code: string } }).error?.code
  }
  assert.equal(await code(), 'guardrail_unavailable', 'an answer without policies')
  const down = refusing(/guardrails$/, 500, 'internal_error')
  guarded.money.faults[0] = down
  assert.equal(await code(), 'guardrail_unavailable')
  guarded.money.faults[0] = policies([rule('block')])
  assert.equal(await code(), 'guardrail_blocked')
  guarded.money.faults[0] = down
  assert.equal(await code(), 'guardrail_blocked')
  assert.deepEqual(guarded.gateway.requests, [])
})

test('decisions are in the journal of the run, without content', async (t) => {
  const plugins = { guardrails: { enabled: true } }
  const config = { plugins, model: { route: 'mock' }, systemPrompt: 'Help.' }
  const proxied = await startProxied(t, { command: [], config })
  proxied.money.faults.push(policies([rule('block', ['request'])]))
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  await postJson(`${url}/invoke`, { input: `say ${word}` }, { 'x-mesh-run-id': 'r1' })
  const entries = await readEvents(`${url}/runs/r1/events`)
  const [decided, ...more] = entries.filter(({ kind }) => kind === 'guardrail.decided')
  const data = { policy: 'default/p', rule: 'words', check: 'regex', stage: 'request', action: 'block', count: 1 }
  assert.deepEqual([decided?.data, more], [data, []])
  const call = entries.find(({ kind }) => kind === 'usage.reported')
  assert.equal(decided?.spanId, call?.spanId)
  const outcome = entries.at(-1)?.data
  assert.deepEqual([outcome?.['state'], outcome?.['failReason']], ['failed', 'guardrail_blocked'])
  assert.equal(JSON.stringify(entries).includes(word), false)
})

test('decisions are counted by policy, stage and action, and no metric has text', async (t) => {
  const pushed: string[] = []
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    if (request.url?.endsWith('/metrics') === true) pushed.push(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await listen(t, collector) }
  const plugins = { guardrails: { enabled: true } }
  const guarded = await startProxied(t, { env, config: { plugins } })
  guarded.money.faults.push(policies([rule('mask', ['request']), { ...rule('block', ['response']), name: 'answers' }]))
  const ask = (content: string) =>
    fetch(`${guarded.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }] }),
    })
  assert.equal((await ask(`${word} and ${word}`)).status, 200)
  guarded.gateway.reply = completes(word)
  assert.equal((await ask('hello')).status, 403)
  await guarded.close()
  const last = pushed.at(-1) ?? assert.fail('nothing was pushed')
  const { resourceMetrics } = JSON.parse(last) as {
    resourceMetrics: { scopeMetrics: { metrics: { name: string; sum?: { dataPoints: DataPoint[] } }[] }[] }[]
  }
  const found = resourceMetrics[0]?.scopeMetrics[0]?.metrics.find(
    ({ name }) => name === 'mesh_launcher_guardrail_decisions_total',
  )
  const points = found?.sum?.dataPoints.map(({ attributes, asDouble }) => [
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
    asDouble,
  ])
  assert.deepEqual(points, [
    [{ policy: 'default/p', stage: 'request', action: 'mask' }, 2],
    [{ policy: 'default/p', stage: 'response', action: 'block' }, 1],
  ])
  assert.equal(pushed.join('').includes(word), false)
})

interface DataPoint {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
  readonly asDouble: number
}
