import assert from 'node:assert/strict'
import test from 'node:test'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import { at } from './api.ts'
import { sharedCluster } from './cluster-fixture.ts'
import { readPolicies } from './policy-oracle.ts'
import type { PolicyEnd } from './policy-oracle.ts'
import { createProbeAgents } from './probe-agents.ts'

const loopback = Object.values(reservedPorts).filter(({ bind }) => bind === 'loopback')
const onPod: ReadonlySet<number> = new Set(
  Object.values(reservedPorts).flatMap(({ bind, port }) => (bind === 'pod' ? [port] : [])),
)
// The platform's admin port: agents and launchers have none.
const adminPort = 8081

test('H2, F8: what of a pod is reachable, and what is in it', { timeout: 480_000 }, async (t) => {
  const { cluster, ...fixture } = await sharedCluster()
  const agents = await createProbeAgents(t, { cluster, ...fixture }, 'isolation')
  await agents.add('AgentRegistry', 'desk', {})
  await agents.add('ModelRoute', 'priced', {
    providerRef: { name: 'mock' },
    model: 'm',
    prices: { inputPerMillion: '1', outputPerMillion: '1' },
  })
  // Every capability that has a port.
  const every = {
    registries: [{ name: 'desk' }],
    model: { route: 'priced' },
    budget: { amount: '1' },
    memory: { session: {} },
  }
  await agents.apply('open', every)
  await agents.apply('member', { registries: every.registries })
  await agents.apply('peer', { model: { route: 'mock' } })
  await agents.ready('open', 'member', 'peer')
  const addressOf = async (name: string) => String(at(await agents.pod(name), 'status', 'podIP'))
  const step = (name: string, work: () => Promise<void>) => t.test(name, () => agents.explain(work))

  await step('H2: loopback ports of a launcher are refused from another pod, each of them', async () => {
    const address = await addressOf('open')
    const ports = [...new Set([...loopback.map(({ port }) => port), ...onPod, adminPort, 8000])]
    const toPod = ports.map((port) => [address, port])
    const [inside] = await agents.probe('open', { connect: ports.map((port) => ['127.0.0.1', port]) })
    const [outside] = await agents.probe('peer', { connect: toPod })
    const openIn = (found: unknown): number[] =>
      ports.filter((_, index) => at(found, index) === 'open').toSorted((a, b) => a - b)
    assert.deepEqual(openIn(inside), [2994, 2995, 2996, 2997, 2998, 4317, 4318, 8000, 8080])
    assert.deepEqual(openIn(outside), [2997, 8080])
    const closed = ports.filter((port) => !onPod.has(port))
    assert.deepEqual(
      closed.map((port) => at(outside, ports.indexOf(port))),
      closed.map(() => 'ECONNREFUSED'),
    )
  })
  await step('H2: by the stored policies, agents reach the platform, members and public addresses alone', async () => {
    const policies = await readPolicies(cluster)
    const agent = (name: string) => policies.pod(agents.namespace, `mesh.dev/agent=${name}`)
    const role = (name: string) => policies.pod('mesh-system', `mesh.dev/role=${name}`)
    const roles = ['bff', 'worker', 'manager', 'gateway', 'state']
    const node = { address: cluster.hostAddress.replace(/1$/, '2') }
    const targets: Readonly<Record<string, readonly [PolicyEnd, number]>> = {
      gateway: [role('gateway'), 4000],
      state: [role('state'), 3002],
      bff: [role('bff'), 8080],
      ...Object.fromEntries(roles.map((name) => [`admin port of ${name}`, [role(name), adminPort] as const])),
      'runs of open': [agent('open'), 8080],
      'calls to open': [agent('open'), 2997],
      'calls to member': [agent('member'), 2997],
      'memory of member': [agent('member'), 2998],
      database: [{ address: cluster.hostAddress }, Number(new URL(fixture.databaseUrl).port)],
      'API server': [node, 6443],
      kubelet: [node, 10250],
      'metadata service': [{ address: '169.254.169.254' }, 80],
      'public address': [{ address: '93.184.215.14' }, 443],
    }
    const reached = (from: PolicyEnd): string[] =>
      Object.keys(targets).filter((name) => policies.allows(from, ...(targets[name] ?? [from, 0])))
    assert.deepEqual(reached(agent('peer')), ['gateway', 'state', 'public address'])
    assert.deepEqual(reached(agent('open')), ['gateway', 'state', 'calls to open', 'calls to member', 'public address'])
    assert.deepEqual(
      reached(role('worker')).filter((name) => /open|member|admin/.test(name)),
      ['runs of open'],
    )
  })
  await step(
    'F8: the agent has a token for the gateway at most, and the API server knows it for nothing else',
    async () => {
      const [environment, withBudget] = await Promise.all(
        ['peer', 'open'].map(async (name) => (await agents.probe(name, { environment: null }))[0]),
      )
      assert.equal(at(withBudget, 'MODEL_GATEWAY_TOKEN_FILE'), undefined, 'its launcher calls the gateway')
      const [token] = await agents.probe('peer', { read: at(environment, 'MODEL_GATEWAY_TOKEN_FILE') })
      const review = async (audiences: readonly string[]): Promise<unknown> => {
        const object = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } }
        const text = await cluster.kubectl(['create', '-f', '-', '-o', 'json'], JSON.stringify(object))
        return at(JSON.parse(text), 'status')
      }
      const gateway = await review(['gateway'])
      assert.deepEqual(
        [at(gateway, 'authenticated'), at(gateway, 'user', 'username')],
        [true, `system:serviceaccount:${agents.namespace}:peer`],
      )
      const podUid = at(await agents.pod('peer'), 'metadata', 'uid')
      assert.deepEqual(at(gateway, 'user', 'extra', 'authentication.kubernetes.io/pod-uid'), [podUid])
      for (const other of [['state'], []]) assert.notEqual(at(await review(other), 'authenticated'), true, other.join())
      const volumes = at(await agents.pod('peer'), 'spec', 'volumes') as readonly unknown[]
      const audiences = volumes.flatMap((volume) => {
        const sources = at(volume, 'projected', 'sources')
        const found = Array.isArray(sources) ? sources.map((one) => at(one, 'serviceAccountToken', 'audience')) : []
        return found.map((audience) => `${String(at(volume, 'name'))} ${String(audience)}`)
      })
      assert.deepEqual(audiences.toSorted(), ['agent-tokens gateway', 'launcher-tokens state'])
    },
  )
})
