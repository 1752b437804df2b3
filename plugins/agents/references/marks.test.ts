import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { composeHost } from '#core/host/process/compose-process.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseRef } from '#core/kube/names.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { agents } from '../index.ts'
import { agentReconciler } from '../reconcilers.ts'
import { agentOf, command, processSpecs, settings } from '../testing/agent-fixture.ts'
import { createReferences } from './references.ts'

const annotation = 'acme.example/guard'
const marks = `[
  { from: 'AgentDeployment', at: { annotation: '${annotation}' }, to: 'GuardPolicy' },
  { from: 'AgentDeployment', at: { field: 'runtime.env[].name' }, to: 'GuardPolicy' },
]`

/** A third party with two kinds: agents refer to one by an annotation, and one refers to agents in a field of its own schema. */
const guards = (contributed: string, more = '') => `import * as mesh from '@mesh.dev/mesh/plugin'
const kind = (kind, properties) => mesh.defineKind({ group: 'acme.example', kind, plural: kind.toLowerCase() + 's',
    description: 'x', spec: mesh.Type.Object(properties) })
const policy = kind('GuardPolicy', { level: mesh.Type.Integer() })
const probe = kind('GuardProbe', { agentRef: mesh.Type.Object({ name: mesh.Type.String() }, { 'x-mesh-ref': 'AgentDeployment' }) })
const mark = (value) => mesh.contribute(mesh.point('agents.reference'), value)
export default mesh.definePlugin({
    contract: 1, name: 'guards', settings: mesh.Type.Object({}), create: () => ({}), ${more}
    kinds: [
      mesh.crud(policy, { verbs: ['create', 'delete'], sample: { level: 1 } }),
      mesh.crud(probe, { verbs: ['create'], sample: { agentRef: { name: 'bot' } } }),
    ],
    contributions: () => ${contributed}.map(mark),
})
`

async function compose(
  t: TestContext,
  plugin: string,
  roles: readonly ('bff' | 'manager')[],
  server = 'http://127.0.0.1:1',
) {
  const folder = tempFolder('marks')
  t.after(folder.remove)
  const config = join(folder.path, 'mesh.yaml')
  writeFileSync(join(folder.path, 'guards.mjs'), plugin)
  writeFileSync(config, 'plugins: [./guards.mjs]\nagents: { isolation: none }\n')
  const composed = await composeHost({
    roles,
    plugins: [agents],
    version: '0.0.0',
    env: { MESH_CONFIG: config },
    presets: { listen: { host: '127.0.0.1', bff: 0, admin: 0 } },
    cluster: { server, tls: {}, bearerOf: () => async () => ADMIN },
    generateKeys: true,
    log: createLogger({ level: 'error', destination: { write: (line) => t.diagnostic(line.trim()) } }),
  })
  t.after(() => composed.close())
  return composed
}

async function start(t: TestContext) {
  const holder: { server?: Awaited<ReturnType<typeof startTestServer>> } = {}
  const known = await compose(t, guards(marks), ['bff'])
  const server = (holder.server = await startTestServer(t, { crds: kindsOf(known.plugins).map(toCrd) }))
  const { host } = await compose(t, guards(marks), ['manager', 'bff'], server.url)
  const pool = createPool(server.url)
  t.after(() => pool.close())
  const cluster = createKubeClient({ server: server.url, pool, bearer: ADMIN })
  await host.start()
  const ask = async (line: string, body?: object) => {
    const [method = '', path = ''] = line.split(' ')
    const answer = await fetch(`${host.addresses()['bff']}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return {
      status: answer.status,
      json: (await answer.json().catch(() => ({}))) as { items?: object[]; requirements?: object[] },
    }
  }
  const ref = parseRef({ namespace: 'default', name: 'bot' })
  const resolvedRefs = (expected: string) =>
    until(expected, async () => {
      const { status } = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
      const found = status?.conditions?.find(({ type }) => type === 'ResolvedRefs')
      return `${found?.status} ${found?.reason}` === expected ? found : undefined
    })
  return { ask, cluster, ref, resolvedRefs }
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`not reached: ${what}`)
}

const policies = '/x/guards/guardpolicys'
const strict = { metadata: { name: 'strict', namespace: 'default' }, spec: { level: 1 } }

test('a field that a third party marks is a reference: listed, used, required, resolved and watched', async (t) => {
  const { ask, cluster, ref, resolvedRefs } = await start(t)
  const metadata = { name: 'bot', namespace: ref.namespace, annotations: { [annotation]: 'strict' } }
  await cluster.create(AgentDeployment, AgentDeployment.object({ metadata, spec: processSpecs['command'] ?? command }))
  const listed = async () => (await ask('GET /agents/default/bot/references')).json.items
  const reference = {
    kind: 'GuardPolicy',
    namespace: 'default',
    name: 'strict',
    field: `metadata.annotations[${annotation}]`,
  }
  assert.deepEqual(await listed(), [{ ...reference, found: false }])
  const missing = await resolvedRefs('False NotFound')
  assert.equal(missing.message, `GuardPolicy default/strict (metadata.annotations[${annotation}]) does not exist.`)

  // The watch: nothing about the agent changes.
  assert.equal((await ask(`POST ${policies}`, strict)).status, 201)
  await resolvedRefs('True ResolvedRefs')
  assert.deepEqual(await listed(), [{ ...reference, found: true }])
  // Before a deletion: who uses the target.
  const used = await ask('GET /usedby?kind=GuardPolicy&namespace=default&name=strict')
  assert.deepEqual(used.json.items, [
    { kind: 'AgentDeployment', namespace: 'default', name: 'bot', field: reference.field, found: true },
  ])
  assert.equal((await ask(`DELETE ${policies}/default/strict`)).status, 204)
  await resolvedRefs('False NotFound')

  // Another value of the annotation is reconciled, although the spec is the same.
  await cluster.patch(AgentDeployment, ref, {
    type: 'merge',
    body: { metadata: { annotations: { [annotation]: 'a b\0' } } },
  })
  const odd = await until('the message changes', async () => {
    const found = await resolvedRefs('False NotFound')
    return found.message.includes('strict') ? undefined : found
  })
  assert.equal(odd.message, `metadata.annotations[${annotation}] is not the name of an object of the kind GuardPolicy.`)
  await cluster.patch(AgentDeployment, ref, {
    type: 'merge',
    body: { metadata: { annotations: { [annotation]: null } } },
  })
  await resolvedRefs('True ResolvedRefs')
  const body = {
    metadata: { ...metadata, name: 'new' },
    spec: { ...command, runtime: { command: ['x'], env: [{ name: 'loose', value: '' }] } },
  }
  const { requirements } = (await ask('POST /agents/check-requirements', body)).json
  assert.deepEqual(
    (requirements as { kind: string; name: string; status: string }[]).map(
      ({ kind, name, status }) => `${kind} ${name} ${status}`,
    ),
    ['Permission create agentdeployments met', 'GuardPolicy strict missing', 'GuardPolicy loose missing'],
  )
})

test('a field of a kind of its own is marked in its schema, without the point', async (t) => {
  const { ask } = await start(t)
  const probe = { metadata: { name: 'probe', namespace: 'default' }, spec: { agentRef: { name: 'bot' } } }
  assert.equal((await ask('POST /x/guards/guardprobes', probe)).status, 201)
  const used = await ask('GET /usedby?kind=AgentDeployment&namespace=default&name=bot')
  assert.deepEqual(used.json.items, [
    { kind: 'GuardProbe', namespace: 'default', name: 'probe', field: 'spec.agentRef', found: true },
  ])
})

test('marks that cannot be followed end the start, naming both sides', async (t) => {
  const mark = (more: string) =>
    `[{ from: 'AgentDeployment', at: { annotation: '${annotation}' }, to: 'GuardPolicy', ${more} }]`
  const field = (path: string) => mark(`at: { field: ${JSON.stringify(path)} }`)
  const cases: readonly (readonly [string, RegExp])[] = [
    [mark("to: 'GuardPolcy'"), /names the kind "GuardPolcy", which no plugin has; did you mean GuardPolicy\?/],
    [mark("from: 'Agent\\0'"), /names the kind "Agent\\u0000", which no plugin has/],
    [
      field('model.route'),
      /marks spec\.model\.route of AgentDeployment as a reference to GuardPolicy, and the schema of plugin agents marks it as one to ModelRoute/,
    ],
    [field('model'), /the schema of plugin agents marks it as one to ModelRoute/],
    [field('model.route.name'), /the schema of plugin agents marks it as one to ModelRoute/],
    [
      field('model.rout'),
      /marks spec\.model\.rout of AgentDeployment, which the schema of plugin agents does not have/,
    ],
    [field('constructor'), /does not have/],
    [field('runtime.port'), /is neither a string nor an object with a name/],
    [field('tools[].name]'), /at\.field must be a path/],
    [field(`a${'.a'.repeat(10_000)}`), /at\.field must be a path/],
    [mark("at: { annotation: '../x' }"), /at\.annotation must be a key/],
    [mark('at: { label: 7 }'), /must be \{ from/],
    [mark("at: { label: 'a', annotation: 'b' }"), /must be \{ from/],
    [mark('at: null'), /must be \{ from/],
    ["[null, 'x']", /must be \{ from/],
    [
      `${marks}.concat(${marks})`,
      /plugin guards .*declares the agents\.reference AgentDeployment acme\.example\/guard twice/,
    ],
  ]
  for (const [contributed, message] of cases) {
    const { host } = await compose(t, guards(contributed), ['bff'])
    await assert.rejects(host.start(), (error: Error) => {
      assert.match(error.message, /plugin guards/)
      assert.match(error.message, message)
      return true
    })
  }
})

test('labels and fields of lists are read like annotations; what is no name is an empty one', () => {
  const references = createReferences([
    { from: 'AgentDeployment', at: { label: 'team' }, to: 'Team' },
    { from: 'AgentDeployment', at: { annotation: 'a' }, to: 'Team' },
    { from: 'AgentDeployment', at: { field: 'runtime.args[]' }, to: 'Team' },
    { from: 'Other', at: { label: 'team' }, to: 'Nothing' },
  ])
  const of = (annotations: Record<string, string>) => {
    const agent = agentOf(command)
    return references
      .collect(AgentDeployment, { ...agent, metadata: { ...agent.metadata, labels: { team: 'red' }, annotations } })
      .map(({ namespace, name, field }) => `${namespace}/${name} ${field}`)
  }
  assert.deepEqual(of({ a: 'other/blue' }), [
    'demo/red metadata.labels[team]',
    'other/blue metadata.annotations[a]',
    'demo/-v spec.runtime.args[0]',
  ])
  for (const odd of ['', '/', 'a/b/c', 'a/', 'A', 'x'.repeat(254), '\ud800', 'x\n'])
    assert.equal(of({ a: odd })[1], '/ metadata.annotations[a]', JSON.stringify(odd))
  assert.deepEqual([...createReferences([]).targetsOf(AgentDeployment)].includes('Team'), false)
})

test('a change of a marked annotation is reconciled, one of another is not', () => {
  const references = createReferences([{ from: 'AgentDeployment', at: { annotation }, to: 'GuardPolicy' }])
  const { concern } = agentReconciler({
    cluster: {} as KubeClient,
    settings,
    now: () => new Date(),
    kinds: () => [],
    findActor: async () => undefined,
    references,
  })
  const of = (annotations: Record<string, string>): unknown => {
    const agent = agentOf(command)
    return concern?.({ ...agent, metadata: { ...agent.metadata, annotations } })
  }
  assert.notDeepEqual(of({ [annotation]: 'a' }), of({ [annotation]: 'b' }))
  assert.deepEqual(of({ [annotation]: 'a', note: 'x' }), of({ [annotation]: 'a', note: 'y' }))
})
