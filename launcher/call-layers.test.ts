import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { listen } from '#test/harness/listen.ts'
import { post, readEvents, until } from './testdata/launch.ts'
import { refusing } from './testdata/money-server.ts'
import type { MoneyFault } from './testdata/money-server.ts'
import { completes, startProxied } from './testdata/proxied-launcher.ts'

const word = 'MAGENTA-7'
const messages = [{ role: 'user', content: `say ${word}` }]
const rules = [{ name: 'words', action: 'mask', regex: { patterns: ['MAGENTA-[0-9]'] } }]
const policies = [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }]

interface Part {
  readonly channel: string
  readonly request?: { readonly body: { readonly messages: unknown } }
  readonly answer?: unknown
}

/** The state role's routes of guardrails and recordings, besides those of money. */
function stateRoutes(parts: Part[]): MoneyFault {
  return ({ path, body }, response) => {
    if (path === '/guardrails') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ digest: 'd1', policies }))
      return true
    }
    if (path !== '/recording/parts') return false
    parts.push(body as unknown as Part)
    response.writeHead(204).end()
    return true
  }
}

/** An agent with money, rules and a recording, which makes one call in a run and returns what it got. */
async function start(t: TestContext) {
  const ask = async (run: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', 'x-mesh-run-id': run }
    const body = JSON.stringify({ model: 'mock', messages })
    const answer = await fetch(`${proxied.url}/v1/chat/completions`, { method: 'POST', headers, body })
    return JSON.stringify({ output: (await answer.json()) as object })
  }
  const agent = createServer((request, response) => {
    request.resume()
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    const run = String(request.headers['x-mesh-run-id'])
    void ask(run).then((text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text))
  })
  const { port } = new URL(await listen(t, agent))
  const plugins = { budgets: { money: true }, guardrails: { enabled: true }, recording: { redact: [] } }
  const reply = completes(`You said ${word}.`)
  const proxied = await startProxied(t, { config: { plugins }, env: { AGENT_PORT: port }, reply })
  const parts: Part[] = []
  proxied.money.faults.push(stateRoutes(parts))
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  const run = async (id: string) => {
    await post(`${url}/invoke`, { input: {} }, { 'x-mesh-run-id': id })
    return readEvents(`${url}/runs/${id}/events`)
  }
  return { ...proxied, parts, run }
}

test('R2-LA-1: money is held first, then rules see the call, and a recording has what the agent sent and got', async (t) => {
  const { run, parts, money, gateway } = await start(t)
  const entries = await run('019a0000-0000-7000-8000-000000000001')
  await until(() => parts.some(({ channel }) => channel === 'end'), 'the end was recorded')
  const [forwarded] = gateway.requests
  const [settled] = money.settlements()
  assert.equal(settled?.path, `/budgets/holds/${String(forwarded?.headers['x-mesh-hold'])}/settle`)
  assert.equal(forwarded?.body['max_tokens'], 4096, 'what the hold pays for')
  assert.equal(forwarded?.text.includes(word), false, 'rules see the request before the gateway')
  const got = JSON.stringify(entries.at(-1)?.data['output'])
  assert.equal(got.includes(word), false, 'rules see the answer before the agent')
  const [recorded] = parts.filter(({ channel }) => channel === 'model')
  assert.deepEqual(recorded?.request?.body, { model: 'mock', messages }, 'a replay matches what the agent sends')
  assert.deepEqual(recorded?.answer, { kind: 'answer', body: JSON.parse(got) as unknown })
})

test('R2-LA-1: rules do not see a call that no money is held for, and its refusal is recorded', async (t) => {
  const { run, parts, money, gateway } = await start(t)
  money.faults.push(refusing(/holds$/, 402, 'budget_exceeded'))
  const entries = await run('019a0000-0000-7000-8000-000000000002')
  await until(() => parts.some(({ channel }) => channel === 'end'), 'the end was recorded')
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'guardrail.decided'),
    [],
  )
  assert.equal(gateway.requests.length, 0)
  const [recorded] = parts.filter(({ channel }) => channel === 'model')
  const answer = recorded?.answer as { readonly kind: string; readonly code: string }
  assert.deepEqual([answer.kind, answer.code], ['error', 'budget_exceeded'])
})

test('R2-LA-1: what rules change keeps the limit that its hold pays for, in each form of a request without one', async (t) => {
  const { url, gateway } = await start(t)
  for (const more of [{}, { max_tokens: null }, { max_completion_tokens: null, stream: true }, { stream: true }]) {
    const body = JSON.stringify({ model: 'mock', messages, ...more })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    assert.equal((await answer.text()).includes(word), false)
    const forwarded = gateway.requests.at(-1)
    assert.equal(forwarded?.text.includes(word), false)
    const { max_tokens: limit, max_completion_tokens: other, stream_options: options } = forwarded?.body ?? {}
    const asked = 'stream' in more ? { include_usage: true } : undefined
    assert.deepEqual([limit, other, options], [4096, undefined, asked], JSON.stringify(more))
  }
})
