import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { addRun } from '../testing/run-rows.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { needs } from '#test/harness/find-server.ts'
import { limitSource } from '../contract/points.ts'
import type { CallLimit } from '../contract/points.ts'
import { readAccounts } from '../testing/ledger.ts'
import { addBudgetedAgent, addRoutes, createLauncher, startStateRole } from '../testing/state-role.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'

const namespace = `money-${process.pid}`
const tenant = { kind: 'Tenant', name: 'research', uid: 'tenant-1' } as const
const quotas: CallLimit[] = []
const source = contribute(limitSource, { name: 'test', limitsOf: async () => quotas })

// One state role for all cases: each has its own agents.
test('holds of money by launchers', needs('kube-apiserver', 'etcd', 'postgres', 'initdb'), async (t) => {
  const state = await startStateRole(t, { contributed: [source] })
  const { admin, url, database } = state
  await addRoutes(admin, namespace)
  await addRoutes(admin, `${namespace}-other`)
  let agents = 0
  const launcher = async (budget?: Record<string, unknown>) => {
    const agent = await addBudgetedAgent(admin, namespace, `agent-${++agents}`, budget)
    return { ...createLauncher(url, agent.token), ...agent, name: `agent-${agents}` }
  }
  const moneyOf = async (uid: string) => (await readAccounts(database))[`AgentDeployment/${uid}`]

  await t.test('a call is reserved at its most and charged at its cost', async () => {
    const agent = await launcher({ amount: '1' })
    const held = await agent.hold()
    assert.equal(held.status, 201, JSON.stringify(held.body))
    assert.deepEqual([held.body['amount'], held.body['currency'], held.body['remaining']], ['0.5', 'USD', '0.5'])
    const settled = await agent.settle(held.body['id'])
    assert.deepEqual(settled.body, { cost: { amount: '0.25', currency: 'USD' }, remaining: '0.75', state: 'settled' })
    assert.deepEqual((await agent.settle(held.body['id'], { usage: null })).body, settled.body, 'charged once')
    assert.deepEqual((await agent.release(held.body['id'])).body, settled.body)
    assert.deepEqual(await moneyOf(agent.uid), { spent: 250_000n, held: 0n, overrun: 0n })
  })

  await t.test('B1: what is left of a budget excludes what is spent and held', async () => {
    const agent = await launcher({ amount: '1' })
    const left = async (query = '') => {
      const answer = await agent.get(`/budgets/remaining${query}`)
      return [answer.status, answer.body['budget']]
    }
    assert.deepEqual(await left(), [200, { remaining: '1', currency: 'USD' }])
    const held = await agent.hold()
    assert.deepEqual(await left(), [200, { remaining: '0.5', currency: 'USD' }])
    await agent.settle(held.body['id'])
    assert.deepEqual(await left(), [200, { remaining: '0.75', currency: 'USD' }])
    assert.deepEqual((await left(`?runId=${uuidV7()}`))[0], 404, 'the run of another agent')
    assert.deepEqual((await left('?runId=x'))[0], 400)
    const free = await launcher()
    assert.deepEqual((await free.get('/budgets/remaining')).body, { budget: null })
    assert.equal((await createLauncher(url, 'x').get('/budgets/remaining')).status, 401)
  })

  await t.test('cached tokens have their price, and without usage the hold is charged', async () => {
    const agent = await launcher({ amount: '2' })
    const [one, two] = [await agent.hold(), await agent.hold()]
    const usage = { inputTokens: 100_000, outputTokens: 0, cachedTokens: 100_000, reasoningTokens: 0 }
    assert.deepEqual((await agent.settle(one.body['id'], { usage })).body['cost'], { amount: '0.05', currency: 'USD' })
    assert.deepEqual((await agent.settle(two.body['id'], { usage: null, outcome: 'aborted' })).body['cost'], {
      amount: '0.5',
      currency: 'USD',
    })
  })

  await t.test('tokens that are written to a cache have their price, which the hold covers', async () => {
    const agent = await launcher({ amount: '2' })
    const held = await agent.hold({ model: 'cached', inputTokens: 100_000, maxOutputTokens: 1 })
    assert.equal(held.body['amount'], '0.200002')
    const written = { cacheWriteTokens: 60_000, cacheWrite1hTokens: 20_000 }
    const usage = { inputTokens: 100_000, outputTokens: 0, cachedTokens: 30_000, reasoningTokens: 0, ...written }
    const { cost } = (await agent.settle(held.body['id'], { usage, provider: `${namespace}/mock` })).body
    // 10,000 at 1, 30,000 at 0.5, 40,000 at 1.25 and 20,000 at 2.
    assert.deepEqual(cost, { amount: '0.115', currency: 'USD' })
    const other = await agent.hold({ inputTokens: 100_000, maxOutputTokens: 1 })
    assert.deepEqual((await agent.settle(other.body['id'], { usage })).body['cost'], {
      amount: '0.085',
      currency: 'USD',
    })
  })

  await t.test('the limit of a route bounds what a call may ask for, and what is held', async () => {
    const agent = await launcher({ amount: '20' })
    const held = async (maxOutputTokens: number | null) => {
      const { body } = await agent.hold({ model: 'capped', inputTokens: 1_000_000, maxOutputTokens })
      return [body['maxOutputTokens'], body['amount']]
    }
    assert.deepEqual(await held(50), [50, '1.0001'])
    assert.deepEqual(await held(5_000), [100, '1.0002'])
    assert.deepEqual(await held(null), [100, '1.0002'])
  })

  await t.test('a fallback is reserved at the dearest provider and charged by the one that served', async () => {
    const agent = await launcher({ amount: '20' })
    const [one, two] = [await agent.hold({ model: 'fallback' }), await agent.hold({ model: `${namespace}/fallback` })]
    assert.deepEqual([one.body['amount'], two.body['amount']], ['5', '5'])
    const provider = `${namespace}/mock`
    assert.deepEqual((await agent.settle(one.body['id'], { provider })).body['cost'], {
      amount: '0.25',
      currency: 'USD',
    })
    assert.deepEqual((await agent.settle(two.body['id'])).body['cost'], { amount: '2.5', currency: 'USD' })
  })

  await t.test('a changed price never changes what a hold is charged', async () => {
    const agent = await launcher({ amount: '2' })
    const held = await agent.hold()
    const resource = {
      group: 'mesh.dev',
      version: 'v1alpha1',
      plural: 'modelroutes',
      kind: 'ModelRoute',
      namespaced: true,
    }
    const to = (inputPerMillion: string) =>
      admin.patch(resource, { namespace, name: 'paid' } as never, {
        type: 'merge',
        body: { spec: { prices: { inputPerMillion } } },
      })
    await to('900')
    assert.deepEqual((await agent.settle(held.body['id'])).body['cost'], { amount: '0.25', currency: 'USD' })
    await to('1')
  })

  await t.test('a used up budget is 402 and names it, once as an event; pause is announced', async () => {
    const agent = await launcher({ amount: '0.9', window: 'total', onExceed: 'pause' })
    assert.equal((await agent.hold()).status, 201)
    const [refused] = [await agent.hold(), await agent.hold()]
    assert.deepEqual([refused.status, refused.body['code']], [402, 'budget_exceeded'])
    assert.match(String(refused.body['detail']), new RegExp(`agent ${namespace}/${agent.name}, 0.9 USD in total`))
    assert.equal(refused.headers.get('x-mesh-on-exceed'), 'pause')
    const { rows } = await sql<{ name: string; data: unknown }>`
      select name, data from events where type = 'dev.mesh.budgets.spend-limit-exceeded.v1' and uid = ${agent.uid}`.execute(
      database.root,
    )
    const data = { amount: '0.9', currency: 'USD', window: 'total', agentUid: agent.uid, runId: null }
    assert.deepEqual(rows, [{ name: agent.name, data }])
  })

  await t.test('B4: an unpriced model is refused where money is counted, and 0 is a price', async () => {
    const agent = await launcher({ amount: '1' })
    const refused = await agent.hold({ model: 'unpriced' })
    assert.deepEqual([refused.status, refused.body['code']], [422, 'price_unknown'])
    const euros = await launcher({ amount: '1', currency: 'EUR' })
    assert.equal((await euros.hold()).status, 422, 'no price in the currency of the budget')
    assert.equal((await agent.hold({ model: 'nowhere' })).body['code'], 'not_found')
    const others = await agent.hold({ model: `${namespace}-other/paid` })
    assert.deepEqual(
      [others.status, others.body['code']],
      [404, 'not_found'],
      'a route that does not allow this namespace',
    )
  })

  await t.test(
    'R2-N4: an agent without budget and quota is unbudgeted; a quota of money needs a price that others name',
    async () => {
      const agent = await launcher()
      assert.deepEqual((await agent.hold()).body['code'], 'unbudgeted')
      quotas.push({ subject: tenant, concurrency: 1 })
      const held = await agent.hold({ model: 'unpriced' })
      assert.deepEqual([held.status, held.body['amount'], held.body['currency']], [201, null, null])
      const busy = await agent.hold()
      assert.deepEqual(
        [busy.status, busy.body['code'], busy.headers.get('retry-after')],
        [429, 'concurrency_limited', '1'],
      )
      assert.equal((await agent.settle(held.body['id'])).body['cost'], null)
      quotas.splice(0, 1, {
        subject: tenant,
        requestsPerMinute: 1,
        spend: { amount: 100_000n, currency: 'USD', window: 'day' },
      })
      const refusedPrice = await agent.hold()
      assert.deepEqual(
        [refusedPrice.status, refusedPrice.body['code']],
        [422, 'price_unknown'],
        'a route of the namespace is no price',
      )
      assert.match(String(refusedPrice.body['detail']), /^model: /)
      const over = await agent.hold({ model: 'listed' })
      assert.deepEqual(
        [over.status, over.body['code'], over.headers.get('x-mesh-on-exceed')],
        [402, 'budget_exceeded', 'fail'],
      )
      assert.match(String(over.body['detail']), /tenant research, 0.1 USD per day/)
      const small = { model: 'listed', inputTokens: 1, maxOutputTokens: 1 }
      assert.equal((await agent.hold(small)).status, 429, 'the call before is one of this minute')
      quotas.length = 0
    },
  )

  await t.test('a child run is charged to the budget of the root agent too', async () => {
    const [root, child] = [await launcher({ amount: '0.6' }), await launcher({ amount: '50' })]
    const [rootRun, childRun] = [uuidV7(), uuidV7()]
    const at = (agent: { readonly name: string; readonly uid: string }) => ({ namespace, ...agent })
    await addRun(database, { id: rootRun, agent: at(root) })
    await addRun(database, { id: childRun, agent: at(child), parent: rootRun, root: rootRun })
    assert.equal((await child.hold({ runId: childRun })).status, 201)
    assert.equal((await moneyOf(root.uid))?.held, 500_000n)
    const refused = await child.hold({ runId: childRun })
    assert.match(String(refused.body['detail']), new RegExp(root.name), JSON.stringify(refused.body))
    const unnamed = await child.hold()
    assert.equal(unnamed.status, 402, 'a call without a run may be one of the run in progress')
    const own = uuidV7()
    await addRun(database, { id: own, agent: at(child) })
    assert.equal((await child.hold({ runId: own })).status, 201, 'its own run is not')
    assert.equal((await child.hold({ runId: rootRun })).status, 404, 'a run of another agent')
    assert.equal((await child.hold({ runId: uuidV7() })).status, 404)
  })

  await t.test('B1: an agent without a budget is charged to the budgets of all agents above', async () => {
    const [root, middle, leaf] = [await launcher({ amount: '10' }), await launcher({ amount: '0.6' }), await launcher()]
    const [rootRun, middleRun, leafRun, queued] = [uuidV7(), uuidV7(), uuidV7(), uuidV7()]
    const at = (agent: { readonly name: string; readonly uid: string }) => ({ namespace, ...agent })
    assert.deepEqual([(await leaf.hold()).status, (await leaf.hold()).body['code']], [404, 'unbudgeted'])
    await addRun(database, { id: rootRun, agent: at(root) })
    await addRun(database, { id: middleRun, agent: at(middle), parent: rootRun, root: rootRun })
    await addRun(database, { id: queued, agent: at(leaf), parent: middleRun, root: rootRun, state: 'queued' })
    assert.equal((await leaf.hold()).status, 404, 'a queued run makes no calls')
    await addRun(database, { id: leafRun, agent: at(leaf), parent: middleRun, root: rootRun })
    const held = await leaf.hold({ runId: leafRun })
    assert.deepEqual([held.status, held.body['remaining']], [201, '0.1'])
    const both = async () => [(await moneyOf(root.uid))?.held, (await moneyOf(middle.uid))?.held]
    assert.deepEqual(await both(), [500_000n, 500_000n])
    const refused = await leaf.hold()
    assert.deepEqual([refused.status, refused.body['code']], [402, 'budget_exceeded'])
    assert.match(String(refused.body['detail']), new RegExp(middle.name))
    await leaf.release(held.body['id'])
    assert.deepEqual(await both(), [0n, 0n])
    // Retention removes the run in between: the root is known still.
    await sql`delete from runs_runs where id = ${middleRun}`.execute(database.root)
    assert.equal((await leaf.hold()).status, 201)
    assert.deepEqual(await both(), [500_000n, 0n])
  })

  await t.test('a hold of another agent is 404, and so is an unknown one', async () => {
    const [own, other] = [await launcher({ amount: '1' }), await launcher({ amount: '1' })]
    const { id } = (await own.hold()).body
    for (const answer of [await other.settle(id), await other.release(id), await own.settle(crypto.randomUUID())])
      assert.deepEqual([answer.status, answer.body['code']], [404, 'not_found'])
    assert.deepEqual((await other.renew([id])).body, { expiresAt: null, renewed: [] })
    const many = await other.post('/budgets/settlements', {
      items: [{ id, usage: null, provider: null, estimated: false, outcome: 'failed' }],
    })
    assert.deepEqual(many.body, { items: [{ id, code: 'not_found' }] })
    assert.deepEqual((await own.renew([id])).body['renewed'], [id])
    assert.deepEqual(await moneyOf(own.uid), { spent: 0n, held: 500_000n, overrun: 0n })
  })

  await t.test('a repeated request returns its hold', async () => {
    const agent = await launcher({ amount: '1' })
    const key = crypto.randomUUID()
    const [one, two] = await Promise.all([agent.hold({}, key), agent.hold({}, key)])
    assert.equal(one.body['id'], two.body['id'])
    assert.equal((await moneyOf(agent.uid))?.held, 500_000n)
  })

  await t.test('only the account of an agent, for this role, holds money', async () => {
    const agent = await launcher({ amount: '1' })
    const holdAs = async (token: string) => {
      const { status, body } = await createLauncher(url, token).hold()
      return [status, body['code']]
    }
    const reviewed = async (token: string) => {
      const review = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: ['state'] },
      }
      const answer = await admin.review<{ status: { authenticated?: boolean } }>(
        '/apis/authentication.k8s.io/v1/tokenreviews',
        review,
      )
      return answer.status.authenticated === true
    }
    await apply(admin, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'stranger', namespace } })
    const stranger = await tokenOf(admin, namespace, 'stranger', 'state')
    const gateway = await tokenOf(admin, namespace, agent.name, 'gateway')
    assert.deepEqual(await Promise.all([agent.token, stranger, gateway, 'x'].map(reviewed)), [true, true, false, false])
    assert.deepEqual(await holdAs(stranger), [403, 'forbidden'])
    for (const token of [gateway, 'x', state.kube.tokens['admin'] ?? ''])
      assert.deepEqual(await holdAs(token), [401, 'unauthenticated'])
  })

  await t.test('hostile input is a 400 that names the field, and reserves nothing', async () => {
    const agent = await launcher({ amount: '1' })
    const bodies: readonly (readonly [unknown, string])[] = [
      [{ inputTokens: -1 }, '/inputTokens'],
      [{ inputTokens: 1.5 }, '/inputTokens'],
      [{ inputTokens: 1e300 }, '/inputTokens'],
      [{ inputTokens: '100' }, '/inputTokens'],
      [{ inputTokens: null }, '/inputTokens'],
      [{ maxOutputTokens: 0 }, '/maxOutputTokens'],
      [{ maxOutputTokens: 1e12 }, '/maxOutputTokens'],
      [{ choices: 1e9 }, '/choices'],
      [{ operation: 'images' }, '/operation'],
      [{ model: '' }, '/model'],
      [{ runId: 'x' }, '/runId'],
      [{ runId: 7 }, '/runId'],
      [{ extra: 1 }, '/extra'],
    ]
    for (const [some, pointer] of bodies) {
      const { status, body } = await agent.hold(some as Record<string, unknown>)
      assert.deepEqual(
        [status, JSON.stringify(body['errors'])?.includes(pointer)],
        [400, true],
        JSON.stringify([some, body]),
      )
    }
    for (const model of ['\u0000', '\ud800', '../x', 'a/b/c', '__proto__', 'constructor', 'A', 'x'.repeat(300)])
      assert.ok([400, 404].includes((await agent.hold({ model })).status), model)
    for (const raw of ['{"inputTokens": NaN}', '[]', 'null', '{', '{"__proto__": {"x": 1}}'])
      assert.equal(
        (await agent.post('/budgets/holds', raw, { 'idempotency-key': crypto.randomUUID() })).status,
        400,
        raw,
      )
    assert.equal((await agent.hold({}, 'x')).status, 400)
    assert.equal(await moneyOf(agent.uid), undefined)
    const { id } = (await agent.hold()).body
    const tokens = { inputTokens: 1, outputTokens: 1, cachedTokens: 1, reasoningTokens: 1 }
    for (const [field, value] of [
      ['inputTokens', -1],
      ['outputTokens', '1'],
      ['cachedTokens', null],
      ['reasoningTokens', {}],
      ['cacheWriteTokens', '1'],
      ['cacheWrite1hTokens', -1],
    ] as const)
      assert.equal((await agent.settle(id, { usage: { ...tokens, [field]: value } })).status, 400, field)
    for (const wrong of ['x', '..', '%00', `${String(id)}x`, String(id).toUpperCase()])
      assert.ok([400, 404].includes((await agent.settle(wrong)).status), wrong)
    for (const ids of [[], ['x'], [1], Array.from({ length: 501 }, () => id)])
      assert.equal((await agent.renew(ids)).status, 400)
    assert.deepEqual(await moneyOf(agent.uid), { spent: 0n, held: 500_000n, overrun: 0n })
    const huge = { ...tokens, inputTokens: 1e300, outputTokens: Number.MAX_VALUE, cachedTokens: 1e300 }
    const charged = await agent.settle(id, { usage: huge })
    assert.equal(charged.status, 200, JSON.stringify(charged.body))
    assert.equal((await agent.hold({ inputTokens: 1, maxOutputTokens: 1 })).status, 402)
  })
})
