import assert from 'node:assert/strict'
import test from 'node:test'
import { until } from '#test/chaos/until.ts'
import { at } from './api.ts'
import { sharedCluster } from './cluster-fixture.ts'
import { createProbeAgents } from './probe-agents.ts'
import type { ProbeAgents } from './probe-agents.ts'

const call = (agent: string, body: unknown) => ({ port: 'A2A_PORT', path: `/amp/${agent}`, body })
const refusalOf = (answer: { readonly status: number; readonly body: unknown }) => [
  answer.status,
  at(answer.body, 'error'),
]

test('E2, E4, E5, H3: agents call each other on port 2997 of their pods', { timeout: 600_000 }, async (t) => {
  const fixture = await sharedCluster()
  const agents = await createProbeAgents(t, fixture, 'calls')
  const guests = await createProbeAgents(t, fixture, 'calls-guests')
  const registries = [{ name: 'desk' }]
  await agents.add('AgentRegistry', 'desk', {
    allowedNamespaces: [guests.namespace],
    roles: [{ name: 'front', agents: [{ name: 'front' }, { name: 'guest', namespace: guests.namespace }] }],
    calls: [{ from: ['front'], to: ['member'] }],
  })
  await agents.apply('front', { registries })
  await agents.apply('translator', { registries })
  await agents.apply('stranger', {})
  await guests.apply('guest', { registries: [{ name: 'desk', namespace: agents.namespace }] })
  await agents.ready('front', 'translator', 'stranger')
  await guests.ready('guest')
  await membersAre(agents, ['front', 'guest', 'translator'])
  const runsOf = async (name: string): Promise<unknown[]> => {
    const { body } = await agents.developer('GET', `/api/agents/${agents.namespace}/${name}/runs`)
    return at(body, 'items') as unknown[]
  }
  const step = (name: string, work: () => Promise<void>) => t.test(name, () => agents.explain(work))

  await step('the call reaches the pod of the other agent, and its run is a child of the calling one', async () => {
    const runId = await agents.start('front', [{ request: call('translator', { text: 'good morning' }) }])
    const run = await agents.ended(runId)
    const answer = at(run, 'output', 0)
    assert.deepEqual(at(answer, 'body', 'output'), { echo: { text: 'good morning' } }, JSON.stringify(run))
    const child = await agents.developer('GET', `/api/runs/${String(at(answer, 'body', 'runId'))}`)
    assert.deepEqual(
      [at(child.body, 'parentRunId'), at(child.body, 'trigger'), at(child.body, 'subject')],
      [
        runId,
        { kind: 'amp', by: `system:serviceaccount:${agents.namespace}:front` },
        'system:serviceaccount:people:alice',
      ],
    )
  })
  await step('both listeners of port 2997 are open at once, one on loopback and one on the pod address', async () => {
    const address = String(at(await agents.pod('front'), 'status', 'podIP'))
    const [found] = await agents.probe('front', {
      connect: [
        ['127.0.0.1', 2997],
        [address, 2997],
      ],
    })
    assert.deepEqual(found, ['open', 'open'])
    const loopback = await agents.request('front', { ...call('translator', 'x'), url: 'http://127.0.0.1:2997' })
    assert.equal(loopback.status, 200)
    const [outside] = await agents.probe('front', {
      request: { ...call('translator', 'x'), url: `http://${address}:2997` },
    })
    assert.notEqual(at(outside, 'status'), 200, 'the listener on the pod address speaks TLS')
  })
  await step('a role that may not call is refused, as are names that are no members', async () => {
    const before = (await runsOf('front')).length
    assert.deepEqual(refusalOf(await agents.request('translator', call('front', 'x'))), [403, 'caller_not_allowed'])
    for (const name of ['stranger', 'localhost', `translator.${agents.namespace}`])
      assert.deepEqual(refusalOf(await agents.request('front', call(name, 'x'))), [404, 'unknown_target'], name)
    assert.equal((await runsOf('front')).length, before + 3, 'the runs that asked, and none by a call')
  })
  await step('an agent without a registry has no port, and its requests to others by DNS are refused', async () => {
    const [environment, closed] = await agents.probe(
      'stranger',
      { environment: null },
      { connect: [['127.0.0.1', 2997]] },
    )
    assert.equal(at(environment, 'A2A_PORT'), undefined)
    assert.deepEqual(closed, ['ECONNREFUSED'])
    const before = (await runsOf('translator')).length
    const url = `https://translator.${agents.namespace}.svc.cluster.local:2997`
    const forged = { envelope: 'e30.e30.e30', payload: 'x' }
    const [raw] = await agents.probe('stranger', {
      insecure: { url: `${url}/amp/translator`, body: forged, more: { 'x-amp-envelope': 'e30.e30.e30' } },
    })
    assert.deepEqual(refusalOf(raw as never), [403, 'caller_not_allowed'])
    assert.equal((await runsOf('translator')).length, before)
  })
  await step('a member of another namespace may call until its registry no longer admits it', async () => {
    assert.equal((await guests.request('guest', call('translator', 'x'))).status, 200)
    await agents.add('AgentRegistry', 'desk', { calls: [{ from: ['front'], to: ['member'] }] })
    await membersAre(agents, ['front', 'translator'])
    const before = (await runsOf('translator')).length
    const refused = await guests.request('guest', call('translator', 'x'))
    // By the callee while the caller remembers its directory, afterwards by the caller.
    assert.match(refusalOf(refused).join(' '), /^(403 caller_not_allowed|404 unknown_target)$/)
    assert.equal((await runsOf('translator')).length, before)
  })
})

async function membersAre(agents: ProbeAgents, names: readonly string[]): Promise<void> {
  await until(`the members are ${names.join(', ')}`, async () => {
    const registry: unknown = JSON.parse(await agents.kubectl(['get', 'agentregistry', 'desk', '-o', 'json']))
    const members = at(registry, 'status', 'members')
    const found = Array.isArray(members) ? members.map((one) => String(at(one, 'name'))) : []
    return found.toSorted().join() === names.join()
  })
}
