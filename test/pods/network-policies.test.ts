import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { Scope } from '#test/harness/scope.ts'
import { apiOf, at, condition, until } from './api.ts'
import { makeCaller } from './callers.ts'
import type { Cluster } from './cluster.ts'
import { openClusterFixture } from './cluster-fixture.ts'

// MESH_TEST_ENFORCER names a program that enforces NetworkPolicies in the network namespace where it is started, as `PROGRAM KUBECONFIG`.
// The CNI bridge of the test cluster enforces none. kube-router works with only its firewall; kube-network-policies needs NFT_QUEUE in the kernel.
const enforcer = process.env['MESH_TEST_ENFORCER']
const skip =
  enforcer === undefined ? 'NOT RUN: MESH_TEST_ENFORCER names no program that enforces NetworkPolicies' : false

type Target = readonly [name: string, host: string, port: number]

test(
  'PODS10: with policies enforced, agents and strangers reach what they need alone',
  { skip, timeout: 480_000 },
  async (t) => {
    const { cluster, bffUrl } = await openClusterFixture(t, process.env['MESH_TEST_CLUSTER'] ?? '')
    const api = apiOf(bffUrl, await makeCaller(cluster, 'dev', 'mesh-developer', 'demo'))
    const spec = { model: { route: 'mock' }, systemPrompt: 'x' }
    await cluster.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(spec) }),
    )
    for (const name of ['one', 'two'])
      await until(
        `${name} is ready`,
        () => api('GET', `/api/agents/demo/${name}`),
        (body) => condition(body, 'Ready') === 'True',
      )
    await cluster.kubectl(['-n', 'other', 'wait', '--for=condition=Ready', 'pod/stranger', '--timeout=60s'])
    const targets = await targetsOf(cluster)
    const one = await nameOf(cluster, 'demo', 'mesh.dev/agent=one')
    const openTo = async (namespace: string, pod: string): Promise<string[]> => {
      const out = await cluster.kubectl([
        '-n',
        namespace,
        'exec',
        pod,
        '--',
        '/mesh/node',
        '-e',
        probe,
        JSON.stringify(targets),
      ])
      return JSON.parse(out) as string[]
    }
    const all = targets.map(([name]) => name)
    assert.deepEqual(
      [await openTo('demo', one), await openTo('other', 'stranger')],
      [all, all],
      'nothing is enforced yet',
    )
    startEnforcer(t, cluster, enforcer ?? '')
    await until(
      'policies are enforced',
      async () => ({ status: 200, body: await openTo('other', 'stranger') }),
      (open) => Array.isArray(open) && !open.includes('metrics of bff'),
    )
    assert.deepEqual(await openTo('other', 'stranger'), ['gateway', 'bff', 'postgres', 'api server', 'kubelet'])
    assert.deepEqual(await openTo('demo', one), ['gateway', 'state'])
    await cluster.kubectl(['-n', 'mesh-system', 'rollout', 'restart', 'deployment'])
    await cluster.kubectl(['-n', 'mesh-system', 'rollout', 'status', 'deployment', '--timeout=120s'])
    const run = await api('POST', '/api/invoke', { agent: { namespace: 'demo', name: 'one' }, input: 'x' })
    assert.equal(at(run.body, 'state'), 'succeeded', JSON.stringify(run))
  },
)

function objects(spec: object): object[] {
  const agent = (name: string): object => ({
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name, namespace: 'demo' },
    spec,
  })
  const wait = ['/mesh/node', '-e', 'setInterval(() => undefined, 60000)']
  const containers = [{ name: 'stranger', image: 'mesh.local/mesh-launcher:dev', command: wait }]
  const stranger = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stranger', namespace: 'other' },
    spec: { terminationGracePeriodSeconds: 1, automountServiceAccountToken: false, containers },
  }
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }, agent('one'), agent('two'), stranger]
}

async function targetsOf(cluster: Cluster): Promise<Target[]> {
  const ip = (namespace: string, label: string): Promise<string> =>
    field(cluster, namespace, label, '{.items[0].status.podIP}')
  const role = (name: string): Promise<string> => ip('mesh-system', `mesh.dev/role=${name}`)
  const [bff, gateway, state, worker] = await Promise.all(['bff', 'gateway', 'state', 'worker'].map(role))
  const node = cluster.hostAddress.replace(/1$/, '2')
  const { port } = new URL(await databaseUrl(cluster))
  return [
    ['gateway', gateway ?? '', 4000],
    ['state', state ?? '', 3002],
    ['bff', bff ?? '', 8080],
    ['metrics of bff', bff ?? '', 8081],
    ['metrics of worker', worker ?? '', 8081],
    ['launcher of another agent', await ip('demo', 'mesh.dev/agent=two'), 8080],
    ['postgres', cluster.hostAddress, Number(port)],
    ['api server', node, 6443],
    ['kubelet', node, 10250],
  ]
}

async function databaseUrl(cluster: Cluster): Promise<string> {
  const path = 'jsonpath={.data.DATABASE_URL}'
  const encoded = await cluster.kubectl(['-n', 'mesh-system', 'get', 'secret', 'mesh-connections', '-o', path])
  return Buffer.from(encoded, 'base64').toString()
}

function nameOf(cluster: Cluster, namespace: string, label: string): Promise<string> {
  return field(cluster, namespace, label, '{.items[0].metadata.name}')
}

async function field(cluster: Cluster, namespace: string, label: string, path: string): Promise<string> {
  return (await cluster.kubectl(['-n', namespace, 'get', 'pods', '-l', label, '-o', `jsonpath=${path}`])).trim()
}

// Runs in a pod. Prints the names of the targets that accept a connection within two seconds.
const probe = `const { connect } = require('node:net')
const open = ([name, host, port]) => new Promise((done) => {
  const socket = connect({ host, port, timeout: 2000 })
  const end = (found) => { socket.destroy(); done(found) }
  socket.on('connect', () => end([name])).on('timeout', () => end([])).on('error', () => end([]))
})
Promise.all(JSON.parse(process.argv[1]).map(open)).then((found) => console.log(JSON.stringify(found.flat())))`

/** Starts the enforcer in the node's network namespace. The cluster's folder is that of its kubeconfig. */
function startEnforcer(t: Scope, cluster: Cluster, program: string): void {
  const [pid = ''] = readFileSync(join(dirname(cluster.kubeconfig), 'node.pid'), 'utf8').split(' ')
  const child = spawn('nsenter', ['-t', pid, '-n', program, cluster.kubeconfig], { stdio: 'ignore' })
  t.after(() => void child.kill('SIGKILL'))
}
