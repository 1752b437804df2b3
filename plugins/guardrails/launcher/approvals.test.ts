import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import type { InvokeRequest, LauncherEntry } from '#schemas/runs/run.ts'
import { listen } from '#test/harness/listen.ts'
import { post, readEvents } from '#launcher/testdata/launch.ts'
import type { MoneyFault } from '#launcher/testdata/money-server.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'
import type { ProxiedOptions } from '#launcher/testdata/proxied-launcher.ts'

const word = 'MAGENTA-7'
const plugins = { budgets: { money: true }, guardrails: { enabled: true } }

const approvalOf = (stages: GuardrailRule['stages'], more: Partial<GuardrailRule> = {}): GuardrailRule => ({
  name: 'ask',
  action: 'require_approval',
  ...(stages === undefined ? {} : { stages }),
  regex: { patterns: ['MAGENTA-[0-9]'] },
  ...more,
})

function policies(rules: readonly GuardrailRule[]): MoneyFault {
  return (request, response) => {
    if (request.path !== '/guardrails') return false
    const body = { digest: 'd1', policies: [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return true
  }
}

async function startGuarded(t: TestContext, rules: readonly GuardrailRule[], options: ProxiedOptions = {}) {
  const config = { plugins, model: { route: 'mock' }, ...options.config }
  const proxied = await startProxied(t, { ...options, config })
  proxied.money.faults.push(policies(rules))
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  const invoke = async (runId: string, request: InvokeRequest): Promise<readonly LauncherEntry[]> => {
    await post(`${url}/invoke`, request, { 'x-mesh-run-id': runId })
    return readEvents(`${url}/runs/${runId}/events`)
  }
  return { ...proxied, invoke }
}

/** The end of a paused attempt. */
function pauseIn(entries: readonly LauncherEntry[]) {
  const last = entries.at(-1)
  assert.equal(last?.kind, 'run.paused', JSON.stringify(last))
  const data = last.data as { pauseReason: string; interrupts: { id: string; question: string }[]; checkpoint: unknown }
  return { ...data, ids: data.interrupts.map(({ id }) => id) }
}

const answer = (ids: readonly string[], decision: 'approve' | 'reject', checkpoint: unknown): InvokeRequest => ({
  input: `say ${word}`,
  context: { resume: { resolutions: ids.map((interruptId) => ({ interruptId, decision })), checkpoint } },
})

const outcomeOf = (entries: readonly LauncherEntry[]): unknown[] => {
  const { kind, data } = entries.at(-1) ?? {}
  return [kind, data?.['failReason'] ?? data?.['output']]
}

test('the built-in loop pauses before a call that needs approval, and continues it in the same step', async (t) => {
  const guarded = await startGuarded(t, [approvalOf(['request'])], { command: [] })
  const first = await guarded.invoke('r1', { input: `say ${word}` })
  const { pauseReason, interrupts, ids, checkpoint } = pauseIn(first)
  assert.equal(pauseReason, 'approval_required')
  assert.match(interrupts[0]?.question ?? '', /rule ask of the guardrail policy default\/p requires approval/)
  assert.equal(JSON.stringify(interrupts).includes(word), false)
  assert.deepEqual([guarded.gateway.requests.length, guarded.money.releases().length], [0, 1], 'money is given back')
  const second = await guarded.invoke('r1', answer(ids, 'approve', checkpoint))
  assert.deepEqual(outcomeOf(second), ['run.succeeded', 'Hello there, agent.'])
  assert.equal(guarded.gateway.requests.length, 1)
  assert.equal(second.filter(({ kind }) => kind === 'step.started').length, 0, 'the step was started before the pause')
  assert.equal(second.find(({ kind }) => kind === 'step.finished')?.data['step'], 1)
})

test('a rejection that is passed to the run fails it with guardrail_blocked', async (t) => {
  const guarded = await startGuarded(t, [approvalOf(['request'])], { command: [] })
  const { ids, checkpoint } = pauseIn(await guarded.invoke('r1', { input: `say ${word}` }))
  const rejected = await guarded.invoke('r1', answer(ids, 'reject', checkpoint))
  assert.deepEqual(outcomeOf(rejected), ['run.failed', 'guardrail_blocked'])
  assert.equal(guarded.gateway.requests.length, 0)
})

test('an answer and a tool call that need approval are requested again, and pass', async (t) => {
  const guarded = await startGuarded(t, [approvalOf(['response', 'tool_call'])], { command: [] })
  guarded.gateway.reply = completes(`It is ${word}.`)
  const first = await guarded.invoke('r1', { input: 'go' })
  const paused = pauseIn(first)
  assert.equal(JSON.stringify(first).includes(word), false, 'nothing of the answer was shown')
  assert.equal(guarded.money.settlements().length, 1, 'the stopped answer is paid for')
  const resumed = await guarded.invoke('r1', { ...answer(paused.ids, 'approve', paused.checkpoint), input: 'go' })
  assert.deepEqual(outcomeOf(resumed), ['run.succeeded', `It is ${word}.`])
  guarded.gateway.reply = (response, { body }) => {
    opens(response)
    const isAnswered = (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool')
    const call = { index: 0, id: 'c1', function: { name: 'time', arguments: `{"zone":"${word}"}` } }
    response.write(isAnswered ? frameOf({ content: 'done' }) : frameOf({ tool_calls: [call] }))
    response.end(`${frameOf({}, isAnswered ? 'stop' : 'tool_calls')}data: [DONE]\n\n`)
  }
  const asked = pauseIn(await guarded.invoke('r2', { input: 'time?' }))
  const done = await guarded.invoke('r2', { ...answer(asked.ids, 'approve', asked.checkpoint), input: 'time?' })
  assert.deepEqual(outcomeOf(done), ['run.succeeded', 'done'])
})

/** An agent with its own process that makes a model call per text of its input. */
async function startOwnAgent(t: TestContext, rules: readonly GuardrailRule[], failure: 'fails' | 'succeeds' | 'asks') {
  const invocations: Record<string, unknown>[] = []
  const call = async (content: string): Promise<{ status: number; retry: string | null }> => {
    const made = await fetch(`${guarded.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }] }),
    })
    await made.arrayBuffer()
    return { status: made.status, retry: made.headers.get('x-should-retry') }
  }
  const run = async (body: Record<string, unknown>, response: ServerResponse): Promise<void> => {
    invocations.push(body)
    const made: { status: number; retry: string | null }[] = []
    for (const text of body['input'] as string[]) {
      const one = await call(text)
      made.push(one)
      if (one.status !== 200) break
    }
    const isRefused = made.some(({ status }) => status !== 200)
    const forged = { id: 'grd_forged', reason: 'input_required', question: 'Which colour?' }
    if (isRefused && failure === 'fails') response.writeHead(500).end()
    else if (isRefused && failure === 'asks')
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ interrupts: [forged], checkpoint: 7 }))
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: made }))
  }
  const agent = createServer((request, response) => {
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void run(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>, response))
  })
  const agentPort = new URL(await listen(t, agent)).port
  const guarded = await startGuarded(t, rules, { env: { AGENT_PORT: agentPort } })
  return { ...guarded, invocations }
}

test('an own agent that fails without its call is paused, invoked again after each approval, and then succeeds', async (t) => {
  const agent = await startOwnAgent(t, [approvalOf(['request'])], 'fails')
  const input = [`one ${word}`, 'plain', `two ${word}`]
  const one = pauseIn(await agent.invoke('r1', { input }))
  assert.equal(one.ids.length, 1)
  const two = pauseIn(await agent.invoke('r1', { ...answer(one.ids, 'approve', one.checkpoint), input }))
  assert.notDeepEqual(two.ids, one.ids, 'another call needs its own approval')
  const done = await agent.invoke('r1', { ...answer(two.ids, 'approve', two.checkpoint), input })
  const ok = { status: 200, retry: null }
  assert.deepEqual(outcomeOf(done), ['run.succeeded', [ok, ok, ok]])
  assert.equal(agent.invocations.length, 3)
  for (const { context } of agent.invocations) assert.equal(JSON.stringify(context ?? {}).includes('resume'), false)
})

test('an own agent that succeeds without its call is not paused, and calls without a run cannot be approved', async (t) => {
  const agent = await startOwnAgent(t, [approvalOf(['request'])], 'succeeds')
  const done = await agent.invoke('r1', { input: [word] })
  assert.deepEqual(outcomeOf(done), ['run.succeeded', [{ status: 403, retry: 'false' }]])
})

test('F5: an agent cannot word or forge an approval', async (t) => {
  const agent = await startOwnAgent(t, [approvalOf(['request'])], 'asks')
  const input = [word]
  const first = pauseIn(await agent.invoke('r1', { input }))
  const [guardrail, own, ...more] = first.interrupts
  assert.match(guardrail?.id ?? '', /^grd_[0-9a-f]{40}$/)
  assert.match(own?.id ?? '', /^int_/, 'the id of the agent is replaced')
  assert.deepEqual(more, [])
  const resumed = await agent.invoke('r1', { ...answer([own?.id ?? ''], 'approve', first.checkpoint), input })
  assert.deepEqual(pauseIn(resumed).ids.slice(0, 1), first.ids.slice(0, 1), 'the call is still not approved')
  assert.equal(agent.gateway.requests.length, 0)
  const seen = agent.invocations[1]?.['context'] as { resume: { checkpoint: unknown; resolutions: unknown[] } }
  assert.deepEqual([seen.resume.checkpoint, seen.resume.resolutions.length], [7, 1], 'its own checkpoint and answer')
})

test('a rule of the gateway that needs approval pauses the run, and the next call proves the approval', async (t) => {
  const http = { url: 'https://checks.example/', onFailure: 'closed' as const }
  const { regex: _, ...rule } = approvalOf(['request'])
  const guarded = await startGuarded(t, [{ ...rule, http }], { command: [] })
  const refusal = { code: 'guardrail_approval_required', message: 'no', param: 'default/p:ask:http:request' }
  guarded.gateway.reply = (response) =>
    void response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error: refusal }))
  const first = await guarded.invoke('r1', { input: 'hi' })
  const { ids, checkpoint } = pauseIn(first)
  const decided = first.find(({ kind }) => kind === 'guardrail.decided')?.data
  const data = {
    policy: 'default/p',
    rule: 'ask',
    check: 'http',
    stage: 'request',
    action: 'require_approval',
    count: 1,
  }
  assert.deepEqual(decided, data)
  assert.match(JSON.stringify(guarded.money.settlements()[0]?.body), /"inputTokens":0/, 'no provider was called')
  refusal.code = 'guardrail_blocked'
  refusal.param = 'default/p:ask:http:response'
  const stopped = await guarded.invoke('r2', { input: 'hi' })
  assert.deepEqual(outcomeOf(stopped), ['run.failed', 'guardrail_blocked'])
  const last = guarded.money.settlements().at(-1)?.body
  assert.equal(last?.['usage'], null, 'the provider has made the answer, and its usage is unknown: the hold is charged')
  guarded.gateway.reply = completes()
  const resumed = await guarded.invoke('r1', { ...answer(ids, 'approve', checkpoint), input: 'hi' })
  assert.deepEqual(outcomeOf(resumed), ['run.succeeded', 'Hello there, agent.'])
})
