import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { sql } from 'kysely'
import { needs } from '#test/harness/find-server.ts'
import type { CallLimit } from '../contract/points.ts'
import { answerUsed, startPaidGateway, USED } from '../testing/role-calls.ts'

const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')
const used = BigInt(USED)

test('embeddings of roles are paid by the agent or namespace that they name', servers, async (t) => {
  const gateway = await startPaidGateway(t)
  const { namespaces, quotas, startRun, state, upstream, embed, addPayingAgent, accounts } = gateway
  const moneyOf = async (owner: string) => {
    const found = (await accounts())[owner]
    return { spent: found?.spent ?? 0n, held: found?.held ?? 0n }
  }
  const ofAgent = ({ uid }: { readonly uid: string }) => moneyOf(`AgentDeployment/${uid}`)
  const tenant = (uid: string, more: Partial<CallLimit>): CallLimit => ({
    subject: { kind: 'Tenant', name: uid, uid },
    countsCalls: true,
    ...more,
  })
  const spend = (amount: bigint) => ({ spend: { amount, currency: 'USD', window: 'total' } as const })

  await t.test('B1: the budget of an agent is held and charged, and the call is metered to it', async () => {
    const agent = await addPayingAgent('writer', { amount: '0.001' })
    let during = { spent: 1n, held: 0n }
    const observe = async (response: ServerResponse): Promise<void> => {
      during = await ofAgent(agent)
      answerUsed(response)
    }
    state.answer = (response) => void observe(response)
    assert.equal(await embed(agent), 'ok')
    assert.ok(during.spent === 0n && during.held > used, 'held while the provider works')
    assert.deepEqual(await ofAgent(agent), { spent: used, held: 0n })
    const [metered] = await gateway.metered(1)
    const { agentUid, payer, cost } = metered?.data ?? {}
    assert.deepEqual(
      [agentUid, payer, cost],
      [
        agent.uid,
        { namespace: namespaces.a, namespaceUid: null, agent: 'writer' },
        { amount: '0.000007', currency: 'USD', price: 'settings' },
      ],
    )
  })

  const answer = (response: ServerResponse): void => answerUsed(response)
  state.answer = answer
  await t.test('B1: a budget that does not cover a call refuses it before the provider', async () => {
    const agent = await addPayingAgent('broke', { amount: '0.00001' })
    const before = upstream.seen.length
    assert.equal(await embed(agent), 'budget_exceeded')
    assert.equal(upstream.seen.length, before)
    assert.deepEqual(await ofAgent(agent), { spent: 0n, held: 0n })
  })

  await t.test('B4: a route without a price is refused where money is counted', async () => {
    const agent = await addPayingAgent('careful', { amount: '1' })
    assert.equal(await embed(agent, { route: 'unpriced' }), 'price_unknown')
  })

  await t.test('an agent without limits pays nothing, and is named in the metered call', async () => {
    const agent = await addPayingAgent('free')
    assert.equal(await embed(agent, { route: 'unpriced' }), 'ok')
    const rows = await gateway.metered((all) => all.some(({ data }) => data['agentUid'] === agent.uid))
    assert.equal(rows.find(({ data }) => data['agentUid'] === agent.uid)?.data['cost'], null)
    const { rows: holds } = await sql`select 1 from budgets_holds where agent_uid = ${agent.uid}`.execute(
      gateway.database.root,
    )
    assert.equal(holds.length, 0)
  })

  await t.test('a namespace pays by the quota of its tenant, and so do its agents beside their budgets', async () => {
    quotas.set(namespaces.a, [tenant('tenant-a', spend(1_000n))])
    const agent = await addPayingAgent('member', { amount: '1' })
    const namespace = { kind: 'namespace', namespace: namespaces.a, uid: 'uid-0' } as const
    assert.equal(await embed(namespace), 'ok')
    assert.deepEqual(await moneyOf('Tenant/tenant-a'), { spent: used, held: 0n })
    assert.equal(await embed(agent), 'ok')
    assert.deepEqual(await moneyOf('Tenant/tenant-a'), { spent: used * 2n, held: 0n })
    assert.deepEqual(await ofAgent(agent), { spent: used, held: 0n })
    assert.equal(await embed({ ...namespace, namespace: namespaces.b }), 'ok', 'another namespace has no tenant')
    assert.deepEqual(await moneyOf('Tenant/tenant-a'), { spent: used * 2n, held: 0n })
    const rows = await gateway.metered((all) => all.some(({ data }) => data['payer'] && data['agentUid'] === null))
    assert.deepEqual(rows.find(({ data }) => data['payer'] && data['agentUid'] === null)?.data['payer'], {
      namespace: namespaces.a,
      namespaceUid: 'uid-0',
      agent: null,
    })
  })

  await t.test('places and rates of a tenant are those of every call, and a place is freed', async () => {
    quotas.set(namespaces.a, [tenant('tenant-busy', { concurrency: 1 })])
    const namespace = { kind: 'namespace', namespace: namespaces.a, uid: 'uid-0' } as const
    const [arrived, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    state.answer = (response) => {
      arrived.resolve()
      void over.promise.then(() => answerUsed(response))
    }
    const first = embed(namespace)
    await arrived.promise
    assert.equal(await embed(namespace), 'throttled')
    over.resolve()
    assert.equal(await first, 'ok')
    state.answer = answer
    assert.equal(await embed(namespace), 'ok')
    quotas.set(namespaces.a, [tenant('tenant-rate', { requestsPerMinute: 1 })])
    assert.deepEqual([await embed(namespace), await embed(namespace)], ['ok', 'throttled'])
    quotas.clear()
  })

  await t.test(
    'B3: what a failed call costs: nothing if it was refused, the hold if a provider may have worked',
    async () => {
      const agent = await addPayingAgent('unlucky', { amount: '1' })
      state.answer = (response) => void response.writeHead(500).end('{}')
      assert.equal(await embed(agent), 'failed')
      assert.deepEqual(await ofAgent(agent), { spent: 0n, held: 0n })
      state.answer = (response) => answerUsed(response, null)
      assert.equal(await embed(agent), 'ok')
      const { spent: withoutUsage } = await ofAgent(agent)
      assert.ok(withoutUsage > used, String(withoutUsage))
      state.answer = () => undefined
      assert.equal(await embed(agent), 'timeout')
      assert.deepEqual(await ofAgent(agent), { spent: withoutUsage * 2n, held: 0n })
      state.answer = (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"data"', () => response.destroy())
      }
      // The response to a role is sent when it is complete.
      assert.equal(await embed(agent), 'failed')
      assert.deepEqual(await ofAgent(agent), { spent: withoutUsage * 3n, held: 0n })
      state.answer = answer
    },
  )

  await t.test('the agent of the root run pays, too, and a run of another agent is refused', async () => {
    const [root, child] = [
      await addPayingAgent('root', { amount: '1' }),
      await addPayingAgent('child', { amount: '1' }),
    ]
    const rootRun = await startRun({ agent: root })
    const childRun = await startRun({ agent: child, parent: rootRun, root: rootRun })
    assert.equal(await embed(child, { runId: childRun }), 'ok')
    assert.equal(await embed(root, { runId: rootRun }), 'ok')
    assert.deepEqual(
      [await ofAgent(root), await ofAgent(child)],
      [
        { spent: used * 2n, held: 0n },
        { spent: used, held: 0n },
      ],
    )
    assert.equal(await embed(child, { runId: rootRun }), 'refused')
    assert.equal(await embed(child, { runId: randomUUID() }), 'refused')
    assert.deepEqual(await ofAgent(child), { spent: used, held: 0n })
  })

  await t.test('without its store a limited payer makes no call', async () => {
    const agent = await addPayingAgent('patient', { amount: '1' })
    const before = upstream.seen.length
    state.down = true
    assert.equal(await embed(agent), 'failed')
    assert.equal(upstream.seen.length, before)
    state.down = false
    assert.equal(await embed(agent), 'ok')
  })
})
