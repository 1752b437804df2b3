import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ObjectRef } from '#core/kube/client.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { addRoute, startUpstream } from '#plugins/providers/testing/gateway.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { agentCommand } from './platform/agent-command.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

interface WaitingRun {
  readonly state: string
  readonly pauseReason: string | null
  readonly output: unknown
}

interface Usage {
  readonly spend: { readonly spent: string; readonly held: string; readonly remaining: string } | null
  readonly rpm: { readonly used: number; readonly limit: number | null }
  readonly inflight: { readonly used: number; readonly limit: number | null }
}

const command = agentCommand(async ({ input }) => {
  const { readFile } = await import('node:fs/promises')
  const { MODEL_GATEWAY_URL: url, MODEL_GATEWAY_TOKEN_FILE: file } = process.env
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  // Only without a budget the agent has its own token.
  if (file !== undefined) headers['authorization'] = `Bearer ${(await readFile(file, 'utf8')).trim()}`
  const answered = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(input) })
  return { status: answered.status, headers: Object.fromEntries(answered.headers), text: await answered.text() }
})
const messages = [{ role: 'user', content: 'Say hello.' }]
// As the shipped table has them: a route in the tenant's own namespace does not set the price that the tenant counts.
const prices = { inputPerMillion: '1', outputPerMillion: '2' }
// One call of it costs more than every limit of this file.
const dear = { model: 'paid', max_tokens: 5_000, messages }
const cheap = { model: 'paid', max_tokens: 20, messages }
const tenant = 'money-team'

test('a budget and the quota of a tenant, through agents, launchers, state role and gateway', async (t) => {
  const platform = await sharedEmbedded()
  const ask = (method: string, path: string, body?: unknown, persona: Persona = 'admin') =>
    platform.send({ method, path: `/api${path}`, bearer: platform.tokens[persona], ...(body ? { body } : {}) })
  const created = async (path: string, body: object): Promise<void> => {
    const made = await ask('POST', path, body)
    assert.equal(made.status, 201, made.text)
  }
  const held: ServerResponse[] = []
  const upstream = await startUpstream(t, (response) => void held.push(response))
  const namespace = async (name: string): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    const made = await platform.kube({
      method: 'POST',
      path: '/api/v1/namespaces',
      bearer: platform.tokens.admin,
      body,
    })
    assert.equal(made.status, 201, made.text)
    await addRoute(platform.admin, name, 'paid', { provider: { type: 'mock' }, route: { prices, model: 'mock' } })
    const provider = { type: 'openai', baseUrl: upstream.url }
    await addRoute(platform.admin, name, 'held', { provider, route: { prices, model: 'mock' } })
  }
  const agent = (ns: string, name: string, more: object = {}) =>
    created('/agents', {
      namespace: ns,
      config: {
        name,
        model: { route: 'paid', allowRoutes: ['held'] },
        ...('systemPrompt' in more ? {} : { runtime: { command } }),
        ...more,
      },
    })
  const invoke = async (ns: string, name: string, input: object): Promise<Answer> => {
    const answer = await ask('POST', '/invoke', { agent: { namespace: ns, name }, input, timeout: '60s' })
    const { output, state } = answer.json<{ output: Answer; state: string }>()
    assert.equal(state, 'succeeded', answer.text)
    return output
  }
  const codeOf = ({ text }: Answer): string => (JSON.parse(text) as { error: { code: string } }).error.code
  const usageOf = async (): Promise<Usage> => (await ask('GET', `/tenants/${tenant}/usage`)).json<Usage>()
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + 60_000
    while (!(await holds())) {
      assert.ok(performance.now() < end, 'not within a minute')
      await pause(50)
    }
  }
  for (const name of ['money-a', 'money-b', 'money-c']) await namespace(name)
  await agent('money-a', 'payer', { budget: { amount: '0.001', window: 'total' } })
  await agent('money-b', 'before')

  await t.test('B1: a call within the budget is answered with its cost and what is left', async () => {
    const answer = await invoke('money-a', 'payer', cheap)
    assert.equal(answer.status, 200, answer.text)
    const { usage } = JSON.parse(answer.text) as { usage: { prompt_tokens: number; completion_tokens: number } }
    const micros = usage.prompt_tokens + 2 * usage.completion_tokens
    assert.ok(micros > 0)
    assert.equal(answer.headers['x-mesh-cost'], `${micros / 1e6} USD`)
    assert.equal(Number(answer.headers['x-mesh-budget-remaining']), (1_000 - micros) / 1e6)
    assert.match(answer.headers['x-mesh-run-id'] ?? '', /^[0-9a-f-]{36}$/)
    const streamed = await invoke('money-a', 'payer', { ...cheap, stream: true })
    assert.match(streamed.text, new RegExp(`\n: x-mesh-cost: ${micros / 1e6} USD\n`))
    assert.match(streamed.text, /data: \[DONE\]\n\n$/)
  })

  await t.test('a call that the budget does not cover is 402 budget_exceeded, and reaches no provider', async () => {
    const refused = await invoke('money-a', 'payer', { ...dear, model: 'held' })
    assert.deepEqual([refused.status, codeOf(refused)], [402, 'budget_exceeded'], refused.text)
    assert.match(refused.text, /agent money-a\/payer, 0\.001 USD in total/)
    assert.equal(upstream.seen.length, 0)
  })

  await t.test(
    'agents that exist already get the port of their launcher when a tenant takes their namespace',
    async () => {
      const direct = await invoke('money-b', 'before', cheap)
      assert.deepEqual([direct.status, direct.headers['x-mesh-cost']], [200, undefined])
      assert.equal(
        (await ask('POST', '/tenants', { metadata: { name: 'usage' }, spec: { namespaces: ['x'] } })).status,
        400,
      )
      const quota = { spend: { amount: '0.001', window: 'total' }, requestsPerMinute: 10, concurrency: 1 }
      const spec = { namespaces: ['money-b', 'money-c'], quota }
      await created('/tenants', { metadata: { name: tenant }, spec })
      await agent('money-c', 'after')
      await until(async () => (await invoke('money-b', 'before', cheap)).headers['x-mesh-cost'] !== undefined)
      const { spend, rpm, inflight } = await usageOf()
      assert.ok(Number(spend?.spent) > 0)
      assert.deepEqual([spend?.held, rpm.limit, inflight], ['0', 10, { used: 0, limit: 1 }])
      assert.equal(Number(spend?.spent) + Number(spend?.remaining), 0.001)
    },
  )

  await t.test('two namespaces of a tenant share its money: 402 names the tenant', async () => {
    const before = Number((await usageOf()).spend?.spent)
    const paid = await invoke('money-c', 'after', cheap)
    assert.equal(paid.status, 200, paid.text)
    assert.equal(Number((await usageOf()).spend?.spent) > before, true)
    const refused = await invoke('money-c', 'after', dear)
    assert.deepEqual([refused.status, codeOf(refused)], [402, 'budget_exceeded'])
    assert.match(refused.text, /tenant money-team, 0\.001 USD in total/)
  })

  await t.test(
    'B6: and its places: a second call in flight is 429 with Retry-After, and a place is freed once',
    async () => {
      const first = invoke('money-b', 'before', { ...cheap, model: 'held' })
      await until(async () => held.length === 1)
      assert.equal((await usageOf()).inflight.used, 1)
      const refused = await invoke('money-c', 'after', cheap)
      assert.deepEqual(
        [refused.status, codeOf(refused), refused.headers['retry-after']],
        [429, 'concurrency_limited', '1'],
      )
      const usage = { prompt_tokens: 3, completion_tokens: 4 }
      const choices = [{ index: 0, message: { role: 'assistant', content: 'late' }, finish_reason: 'stop' }]
      held[0]
        ?.writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ model: 'held', choices, usage }))
      const answer = await first
      assert.deepEqual([answer.status, answer.headers['x-mesh-cost']], [200, '0.000011 USD'])
      const after = await usageOf()
      assert.deepEqual([after.inflight.used, after.spend?.held], [0, '0'])
    },
  )

  await t.test('and its calls of a minute: 429 with Retry-After', async () => {
    let answer = await invoke('money-b', 'before', cheap)
    for (let count = 0; count < 20 && answer.status === 200; count++) answer = await invoke('money-c', 'after', cheap)
    assert.deepEqual([answer.status, codeOf(answer)], [429, 'rate_limited'], answer.text)
    assert.ok(Number(answer.headers['retry-after']) >= 1)
  })

  await t.test('usage is read with the right on tenantusage alone', async () => {
    const listed = (await ask('GET', '/tenants/usage', undefined, 'operator')).json<{ items: { name: string }[] }>()
    assert.equal(
      listed.items.some(({ name }) => name === tenant),
      true,
    )
    for (const persona of ['developer', 'viewer', 'other-tenant'] as const)
      for (const path of ['/tenants/usage', `/tenants/${tenant}/usage`, '/tenants/none/usage'])
        assert.equal((await ask('GET', path, undefined, persona)).status, 403, `${persona} ${path}`)
    assert.equal((await ask('GET', '/tenants/none/usage')).status, 404)
    for (const name of ['..', 'A', '%00', 'a%2Fb', 'x'.repeat(300)])
      assert.ok([400, 404].includes((await ask('GET', `/tenants/${name}/usage`)).status), name)
  })

  const raise = (name: string, amount: string) =>
    platform.admin.patch(AgentDeployment, { namespace: 'money-a', name } as ObjectRef, {
      type: 'merge',
      body: { spec: { budget: { amount } } },
    })
  const used = { amount: '0.000001', window: 'total', onExceed: 'pause' }

  await t.test('B1: a run of the built-in loop waits for money, and a resume continues it after a raise', async () => {
    await agent('money-a', 'holder', { budget: used, systemPrompt: 'Help.' })
    const body = { agent: { namespace: 'money-a', name: 'holder' }, input: 'hello', timeout: '60s' }
    const { runId } = (await ask('POST', '/invoke', body)).json<{ runId: string }>()
    const read = async () => (await ask('GET', `/runs/${runId}`)).json<WaitingRun>()
    const resumed = async (): Promise<WaitingRun> => {
      const answer = await ask('POST', `/runs/${runId}/resume`, { decision: 'approve' })
      assert.equal(answer.status, 202, answer.text)
      await until(async () => ['paused', 'succeeded', 'failed'].includes((await read()).state))
      return read()
    }
    const waiting = await read()
    assert.deepEqual([waiting.state, waiting.pauseReason], ['paused', 'budget_hold'])
    const still = await resumed()
    assert.deepEqual([still.state, still.pauseReason], ['paused', 'budget_hold'], 'there is no money yet')
    await raise('holder', '1')
    // The raise applies within seconds; until then the run waits again.
    await until(async () => (await resumed()).state !== 'paused')
    const done = await read()
    assert.deepEqual([done.state, done.output], ['succeeded', 'MOCK_OK'])
    const { text } = await ask('GET', `/runs/${runId}/events`)
    assert.equal(text.split('event: step.started').length - 1, 1, 'the step of the call is the first one')
    assert.equal(upstream.seen.length, 1, 'of another test')
  })

  await t.test('B1: an agent with a process reads that it should pause, and its run is its own to end', async () => {
    await agent('money-a', 'process', { budget: used })
    const refused = await invoke('money-a', 'process', cheap)
    assert.deepEqual([refused.status, codeOf(refused)], [402, 'budget_exceeded'])
    assert.equal(refused.headers['x-mesh-on-exceed'], 'pause')
    await raise('process', '1')
    await until(async () => (await invoke('money-a', 'process', cheap)).status === 200)
  })
})
