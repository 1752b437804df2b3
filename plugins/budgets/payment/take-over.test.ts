import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { Value } from 'typebox/value'
import { contribute } from '#core/jobs/extension-point.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { addAgent, addRoute, refused, startGateway } from '#plugins/providers/testing/gateway.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { callPayment } from '#plugins/providers/contract/points.ts'
import { needs } from '#test/harness/find-server.ts'
import { createCallPayment } from './call-payment.ts'
import { budgetsSettings } from '../contract/settings.ts'
import { budgetPodPart } from '../pod-part.ts'
import { newHold, openLedger } from '../testing/ledger.ts'

// Charged at the hold.
const unpriced = { provider: 'any/mock', model: 'test-1', source: null }
const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')

test('B1: a hold pays for one call of its agent to its route, and the gateway settles it', servers, async (t) => {
  const { ledger, accounts } = await openLedger(t, async (_, sources) => {
    const database = await openDatabase({ url: await createMigrated(t, sources) })
    t.after(() => database.close())
    return database
  })
  const gateway = await startGateway(t, [
    contribute(
      callPayment,
      createCallPayment({
        ledger,
        settings: Value.Create(budgetsSettings),
        decided: () => undefined,
        sources: () => [],
      }),
    ),
  ])
  const { admin, namespaces } = gateway
  const namespace = namespaces.a
  await addRoute(admin, namespace, 'mock', { provider: { type: 'mock' } })
  await addRoute(admin, namespace, 'other', { provider: { type: 'mock' } })
  const clientOf = async (name: string, budget?: object) => {
    await gateway.run('create', 'serviceaccount', name, '-n', namespace)
    const agentUid = await addAgent(admin, namespace, name)
    const mayCall = { route: 'mock', allowRoutes: ['other'] }
    const spec = { model: mayCall, ...(budget === undefined ? {} : { budget }) }
    await apply(admin, {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'AgentDeployment',
      metadata: { name, namespace },
      spec,
    })
    const token = await gateway.run('create', 'token', name, '-n', namespace, '--audience=gateway')
    const ask = (hold?: string, model = 'mock') =>
      gateway
        .client(token, hold === undefined ? {} : { 'x-mesh-hold': hold })
        .chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi.' }] })
    return { agentUid, ask }
  }
  const [free, paid, thief] = [
    await clientOf('free'),
    await clientOf('paid', { amount: '1' }),
    await clientOf('thief', { amount: '1' }),
  ]
  const holdOf = async (agentUid: string, leaseSeconds = 60) => {
    const hold = newHold({ agentUid, route: `${namespace}/mock`, leaseSeconds, prices: [unpriced] })
    await ledger.reserve(hold)
    return hold.id
  }
  const [own, ended, late] = [await holdOf(paid.agentUid), await holdOf(paid.agentUid), await holdOf(paid.agentUid, 0)]
  await ledger.end({ id: ended, holder: 'holder-1', state: 'settled', charge: 1n })
  assert.equal((await free.ask()).choices[0]?.message.content, 'MOCK_OK', 'no budget, no hold')
  const twins = await Promise.allSettled([paid.ask(own), paid.ask(own), paid.ask(own)])
  assert.equal(twins.filter(({ status }) => status === 'fulfilled').length, 1, 'at the same time, too')
  const { spent, held } = (await accounts())['AgentDeployment/1'] ?? {}
  assert.deepEqual([spent, held], [101n, 100n], 'before its launcher says what it cost; the late one is held')
  const spare = await holdOf(paid.agentUid)
  const attempts = [
    () => paid.ask(),
    () => paid.ask('x'),
    () => paid.ask(randomUUID()),
    () => paid.ask(ended),
    () => paid.ask(late),
    () => paid.ask(own),
    () => paid.ask(spare, 'other'),
    () => thief.ask(spare),
  ]
  for (const [index, attempt] of attempts.entries()) {
    const error = await refused(attempt())
    assert.deepEqual([error.status, error.code], [402, 'hold_required'], String(index))
  }
  assert.equal((await paid.ask(spare)).choices[0]?.message.content, 'MOCK_OK', 'no attempt has used it')
})

test('the launcher of an agent with a budget serves its model calls', async () => {
  const partOf = (spec: object) => budgetPodPart({ metadata: {}, spec } as never, undefined as never)
  assert.deepEqual(await partOf({ budget: { amount: '1' } }), { modelProxy: true, launcher: { money: true } })
  assert.equal(await partOf({ model: { route: 'mock' } }), undefined)
  assert.deepEqual(await partOf({ guardrails: [{ name: 'p' }] }), { launcher: { money: 'inherited' } })
})
