import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import test from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { networkRules } from './network-policy.ts'
import { toNetworkPolicy } from './build-objects.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'

interface Block {
  readonly cidr: string
  readonly except: readonly string[]
}
type EgressRule = {
  readonly to?: readonly { readonly ipBlock?: Block }[]
  readonly ports?: readonly { readonly port: number }[]
}

const settings: ReconcileSettings = {
  launcherImage: 'registry.test/launcher:1',
  imagePullPolicy: 'IfNotPresent',
  gatewayUrl: 'http://gateway:4000',
  stateUrl: 'http://state:3002',
  systemNamespace: 'mesh-system',
  isolation: 'container',
  agentUser: 65_533,
  launcherResources: {},
  agentResources: {},
  imagePullSecrets: [],
  podAnnotations: ['*'],
  hardened: false,
}

function agentWith(spec: Partial<AgentDeploymentSpec> = {}) {
  const agent = AgentDeployment.object({
    metadata: { name: 'bot', namespace: 'default' },
    spec: { model: { route: 'mock' }, ...spec },
  })
  return { ...agent, metadata: { ...agent.metadata, uid: '6c5d3f3e-0000-4000-8000-000000000000' } } as typeof agent
}

/** Whether the rules let a pod connect to an address outside the cluster's pods, as a network plugin would decide. */
function reaches(egress: 'public' | 'platform' | 'any', address: string, port: number): boolean {
  const rules = networkRules(agentWith(), { ...settings, egress })
  if (!rules.policyTypes.includes('Egress')) return true
  return (rules.egress as readonly EgressRule[]).some(
    ({ to, ports }) =>
      (ports === undefined || ports.some((one) => one.port === port)) &&
      (to === undefined || to.some(({ ipBlock }) => ipBlock !== undefined && within(address, ipBlock))),
  )
}

function within(address: string, { cidr, except }: Block): boolean {
  const has = (block: string): boolean => {
    const [net = '', bits] = block.split('/')
    const family = net.includes(':') ? 'ipv6' : 'ipv4'
    const list = new BlockList()
    list.addSubnet(net, Number(bits), family)
    return address.includes(':') === (family === 'ipv6') && list.check(address, family)
  }
  return has(cidr) && !except.some(has)
}

test('PODS10: an agent reaches public addresses, DNS and only the listed parts of the cluster', () => {
  const inside: [string, number][] = [
    ...([
      ['10.96.0.1', 443],
      ['10.0.0.7', 5432],
      ['10.0.0.8', 4222],
      ['192.168.1.10', 10_250],
      ['172.18.0.2', 6443],
      ['10.0.0.9', 8081],
    ] as [string, number][]),
    ...([
      ['169.254.169.254', 80],
      ['100.100.100.200', 80],
      ['168.63.129.16', 80],
      ['127.0.0.1', 80],
      ['fd00:ec2::254', 80],
      ['fe80::1', 80],
    ] as [string, number][]),
  ]
  for (const [address, port] of inside) {
    assert.equal(reaches('public', address, port), false, `${address}:${port}`)
    assert.equal(reaches('platform', address, port), false, `${address}:${port}`)
    assert.equal(reaches('any', address, port), true)
  }
  for (const address of ['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1']) {
    assert.equal(reaches('public', address, 443), true, address)
    assert.equal(reaches('platform', address, 443), false, address)
  }
  assert.equal(reaches('platform', '10.96.0.10', 53), true)
})

test('PODS10: gateway, state, registry members and the collector are reachable on their ports only', () => {
  const rules = networkRules(agentWith({ registries: [{ name: 'r' }] } as never), {
    ...settings,
    otlpEndpoint: 'http://collector.otel.svc:4318',
  })
  const named = (rules.egress as readonly EgressRule[]).filter(
    ({ to }) => to !== undefined && to.every(({ ipBlock }) => ipBlock === undefined),
  )
  assert.deepEqual(
    named.map(({ ports }) => ports?.map(({ port }) => port)),
    [[4000], [3002], [2997], [4318]],
  )
  assert.match(JSON.stringify(named[2]), /"key":"registry.mesh.dev\/[a-z2-7]{10}","operator":"Exists"/)
  assert.match(JSON.stringify(named[0]), /"kubernetes.io\/metadata.name":"mesh-system".*"mesh.dev\/role":"gateway"/)
  assert.equal(JSON.stringify(rules).includes('8081'), false)
})

test(
  'PODS10: kube-apiserver accepts every shipped and generated policy',
  needs('kube-apiserver', 'etcd', 'kubectl'),
  async (t) => {
    const kube = await sharedKube(t)
    const file = new URL('../../../../deploy/base/network-policies.yaml', import.meta.url)
    const shipped = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS() as KubeObject)
    const made = (['public', 'platform', 'any'] as const).map((egress) =>
      toNetworkPolicy(agentWith(), { ...settings, egress }),
    )
    assert.deepEqual(
      shipped.map(({ metadata }) => metadata.name),
      ['mesh-admin', 'mesh-bff', 'mesh-gateway', 'mesh-state', 'mesh-manager'],
    )
    for (const items of [shipped, ...made.map((one) => [one])]) {
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
      const applied = await kubectl(
        config,
        ['apply', '--server-side', '--dry-run=server', '-n', 'default', '--validate=strict', '-f', '-'],
        list,
      )
      assert.equal(applied.code, 0, applied.stderr)
    }
    const admin = shipped.filter((one) => JSON.stringify(one.spec).includes('8081'))
    assert.deepEqual(
      admin.map(({ metadata }) => metadata.name),
      ['mesh-admin'],
      'one policy opens the admin port, to monitoring',
    )
    assert.match(JSON.stringify(admin[0]?.spec), /"from":\[.*mesh.dev\/monitoring/)
  },
)
