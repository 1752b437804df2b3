import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { readAccounts } from '../testing/ledger.ts'
import { addBudgetedAgent, addRoutes, createLauncher, startStateRole } from '../testing/state-role.ts'

const namespace = `openings-${process.pid}`
const call = {
  runId: null,
  model: 'paid',
  operation: 'chat/completions',
  inputTokens: 100_000,
  maxOutputTokens: 200_000,
}

type Item = Readonly<Record<string, unknown>>

// One state role for all cases: each has its own agents.
test('holds of several calls', needs('kube-apiserver', 'etcd', 'postgres', 'initdb'), async (t) => {
  const { admin, url, database } = await startStateRole(t)
  await addRoutes(admin, namespace)
  let agents = 0
  const launcher = async (amount: string, onExceed = 'fail') => {
    const agent = await addBudgetedAgent(admin, namespace, `agent-${++agents}`, { amount, onExceed })
    const { hold, post } = createLauncher(url, agent.token)
    const open = async (items: readonly object[]) => {
      const { status, body } = await post('/budgets/openings', { items })
      return { status, body, items: (body['items'] ?? []) as readonly Item[] }
    }
    const money = async () => (await readAccounts(database))[`AgentDeployment/${agent.uid}`]
    return { open, hold, money }
  }
  const item = (some: object = {}): object => ({ key: crypto.randomUUID(), ...call, ...some })

  await t.test('R2-P5: each has its own result, and the refusal of one is of no effect on others', async () => {
    const agent = await launcher('1.2', 'pause')
    const { status, items } = await agent.open([
      item(),
      item({ model: 'unpriced' }),
      item({ model: 'nowhere' }),
      item(),
      item(),
      item({ inputTokens: 1, maxOutputTokens: 1 }),
    ])
    assert.equal(status, 200)
    const results = items.map((one) => [one['status'] ?? 201, one['code'] ?? one['amount']])
    assert.deepEqual(
      [results[1], results[2]],
      [
        [422, 'price_unknown'],
        [404, 'not_found'],
      ],
    )
    assert.deepEqual(results[5], [201, '0.000003'])
    // Money for two of three equal calls: the ledger decides which.
    const [refused, ...more] = [0, 3, 4].filter((index) => results[index]?.[0] !== 201)
    assert.deepEqual([results[refused ?? -1], more], [[402, 'budget_exceeded'], []])
    assert.deepEqual(items[refused ?? -1]?.['headers'], { 'x-mesh-on-exceed': 'pause' })
    assert.match(String(items[refused ?? -1]?.['detail']), /1\.2 USD per/)
    assert.deepEqual(await agent.money(), { spent: 0n, held: 1_000_003n, overrun: 0n })
  })

  await t.test('R2-P5: a key has one hold, in one request and across requests', async () => {
    const agent = await launcher('10')
    const key = crypto.randomUUID()
    const twice = await agent.open([item({ key }), item({ key })])
    const again = await agent.open([item({ key }), item()])
    const single = await agent.hold({}, key)
    const ids = [...twice.items, ...again.items.slice(0, 1), single.body].map((one) => one['id'])
    assert.equal(new Set(ids).size, 1, JSON.stringify(ids))
    assert.deepEqual((await agent.money())?.held, 1_000_000n)
  })

  await t.test('R2-P5: concurrent requests overspend nothing', async () => {
    const agent = await launcher('2')
    const opened = await Promise.all(Array.from({ length: 4 }, () => agent.open([item(), item(), item()])))
    const held = opened.flatMap(({ items }) => items).filter((one) => one['id'] !== undefined)
    assert.equal(held.length, 4)
    assert.deepEqual((await agent.money())?.held, 2_000_000n)
  })

  await t.test('R2-P5: hostile input is a 400 that names the field, and reserves nothing', async () => {
    const agent = await launcher('1')
    for (const [some, pointer] of [
      [{ key: 'x' }, '/items/1/key'],
      [{ key: undefined }, '/items/1'],
      [{ inputTokens: 1e300 }, '/items/1/inputTokens'],
      [{ maxOutputTokens: 0 }, '/items/1/maxOutputTokens'],
      [{ model: '' }, '/items/1/model'],
      [{ extra: 1 }, '/items/1/extra'],
    ] as const) {
      const { status, body } = await agent.open([item(), item(some)])
      assert.deepEqual([status, JSON.stringify(body['errors'])?.includes(pointer)], [400, true], JSON.stringify(body))
    }
    assert.equal((await agent.open([])).status, 400)
    assert.equal((await agent.open(Array.from({ length: 101 }, () => item()))).status, 400)
    assert.deepEqual(await agent.money(), undefined)
    for (const model of ['\u0000', '\ud800', '../x', '__proto__', 'A']) {
      const { status, items } = await agent.open([item({ model }), item({ inputTokens: 1, maxOutputTokens: 1 })])
      if (status === 400) continue
      assert.deepEqual([typeof items[0]?.['code'], typeof items[1]?.['id']], ['string', 'string'], model)
    }
    assert.equal((await createLauncher(url, 'x').post('/budgets/openings', { items: [item()] })).status, 401)
  })
})
