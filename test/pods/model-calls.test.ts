import assert from 'node:assert/strict'
import test from 'node:test'
import { openDatabase } from '#core/database/database.ts'
import { readAccounts } from '#plugins/budgets/testing/ledger.ts'
import { until } from '#test/chaos/until.ts'
import { at } from './api.ts'
import { sharedCluster } from './cluster-fixture.ts'
import { heldMessage, startModelServer } from './model-server.ts'
import { launcherProcess, signalProcesses } from './pod-processes.ts'
import { createProbeAgents } from './probe-agents.ts'

// The server reports 3 tokens of input and 2 of output: 7 millionths. A hold is at least 100 tokens of output: 200 millionths.
const prices = { inputPerMillion: '1', outputPerMillion: '2' }
const chat = (content: string) => ({
  port: 'MESH_BUDGET_PORT',
  path: '/v1/chat/completions',
  body: { model: 'priced', max_tokens: 100, messages: [{ role: 'user', content }] },
})

test('B1, B2, B4: agents call models on port 2996 of their pods', { timeout: 600_000 }, async (t) => {
  const fixture = await sharedCluster()
  const database = await openDatabase({ url: fixture.databaseUrl, connections: 1 })
  t.after(() => database.close())
  const agents = await createProbeAgents(t, fixture, 'models')
  const server = await startModelServer(t, fixture.cluster.hostAddress)
  await agents.add('ModelProvider', 'counted', { type: 'openai', baseUrl: server.url })
  await agents.add('ModelRoute', 'priced', { providerRef: { name: 'counted' }, model: 'm', prices })
  await agents.add('GuardrailPolicy', 'staff', {
    rules: [
      { name: 'contacts', action: 'mask', mask: '[contact]', pii: { kinds: ['email'] } },
      { name: 'keys', action: 'block', secrets: {} },
    ],
  })
  const model = { route: 'priced' }
  await agents.apply('thrifty', { model, budget: { amount: '0.0004', window: 'total' } })
  await agents.apply('guarded', { model, guardrails: [{ name: 'staff' }] })
  await agents.ready('thrifty', 'guarded')
  const accountOf = async (name: string) => {
    const uid = await agents.kubectl(['get', 'agentdeployment', name, '-o', 'jsonpath={.metadata.uid}'])
    return (await readAccounts(database))[`AgentDeployment/${uid}`]
  }
  const step = (name: string, work: () => Promise<void>) => t.test(name, () => agents.explain(work))

  await step('B1, B4: a call within the budget has a cost, and the agent has no token of the gateway', async () => {
    const [answer, environment] = await agents.probe('thrifty', { request: chat('Hi') }, { environment: null })
    assert.equal(at(answer, 'status'), 200, JSON.stringify(answer))
    assert.equal(at(answer, 'body', 'choices', 0, 'message', 'content'), 'Hello.')
    assert.equal(at(answer, 'headers', 'x-mesh-cost'), '0.000007 USD')
    assert.deepEqual(
      ['MODEL_GATEWAY_URL', 'MODEL_GATEWAY_TOKEN_FILE'].map((name) => at(environment, name)),
      ['http://127.0.0.1:2996', undefined],
    )
    await until('the call is settled', async () => (await accountOf('thrifty'))?.held === 0n)
    assert.deepEqual(await accountOf('thrifty'), { spent: 7n, held: 0n, overrun: 0n })
  })
  await step('B2: a launcher that is killed within a call has its hold charged, never freed', async () => {
    const calls = server.bodies.length
    const run = await agents.start('thrifty', [{ request: chat(heldMessage) }])
    await until('the model has the call', () => server.bodies.length > calls)
    const before = await accountOf('thrifty')
    assert.ok(before !== undefined && before.held >= 200n, JSON.stringify(before, text))
    const pod = await agents.pod('thrifty')
    signalProcesses(String(at(pod, 'metadata', 'uid')), launcherProcess, 'SIGKILL')
    const after = await until('the hold is charged', async () => {
      const account = await accountOf('thrifty')
      return account?.held === 0n && account
    })
    assert.deepEqual(after, { spent: before.spent + before.held, held: 0n, overrun: 0n })
    assert.equal(at(await agents.ended(run), 'state'), 'failed')
  })
  await step('B1: the restarted launcher refuses what is not left, and the model is not called', async () => {
    await agents.ready('thrifty')
    const calls = server.bodies.length
    const refused = await agents.request('thrifty', chat('Again'))
    assert.deepEqual(
      [refused.status, at(refused.body, 'error', 'code')],
      [402, 'budget_exceeded'],
      JSON.stringify(refused),
    )
    assert.equal(server.bodies.length, calls)
  })
  await step('a guardrail masks what reaches the model, and blocks a secret before it', async () => {
    const calls = server.bodies.length
    assert.equal((await agents.request('guarded', chat('Write to ada@example.org.'))).status, 200)
    assert.equal(at(server.bodies.at(-1), 'messages', 0, 'content'), 'Write to [contact].')
    const blocked = await agents.request('guarded', chat('My key is sk-a1B2c3D4e5F6g7H8i9J0k1L2'))
    assert.deepEqual(
      [blocked.status, at(blocked.body, 'error', 'code')],
      [403, 'guardrail_blocked'],
      JSON.stringify(blocked),
    )
    assert.equal(server.bodies.length, calls + 1)
  })
})

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
