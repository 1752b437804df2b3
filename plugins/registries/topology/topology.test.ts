import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient } from '#core/kube/client.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { createReferences } from '#plugins/agents/references/references.ts'
import { servePlugin } from '#plugins/agents/testing/serve.ts'
import { plugins } from '#plugins/index.ts'
import type { TopologyEdge, TopologyNode } from '#schemas/api/topology.ts'
import { needs } from '#test/harness/find-server.ts'
import { topologyEndpoint } from './topology.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

interface Shown {
  readonly nodes: readonly TopologyNode[]
  readonly edges: readonly TopologyEdge[]
  readonly omitted: Readonly<Record<string, number>>
  readonly truncated: boolean
}

test('the topology shows what the caller may list, at most 200 nodes, and what it leaves out', real, async (t) => {
  const references = createReferences([])
  const services = { references: () => references, store: undefined, runs: undefined, now: () => new Date() }
  const { ask, admin, namespace, other } = await servePlugin(t, 'topology', () => [topologyEndpoint(services)])
  const create = (kind: string, name: string, spec: object, place: string = namespace) =>
    createObject(admin, kind, { name, namespace: place }, spec)
  await create('ModelProvider', 'up', { type: 'mock' })
  await create('ModelRoute', 'fast', { providerRef: { name: 'up' }, model: 'm' })
  await create('KnowledgeBase', 'docs', {})
  await create('AgentRegistry', 'team', { roles: [{ name: 'lead', agents: [{ name: 'two' }] }] })
  await create('AgentRegistry', 'foreign', {}, other)
  await create('AgentDeployment', 'one', {
    model: { route: 'fast' },
    knowledge: [{ name: 'docs' }],
    registries: [{ name: 'team' }, { name: 'foreign', namespace: other }, { name: 'gone' }],
    delegates: [{ name: 'two' }],
  })
  await create('AgentDeployment', 'two', { model: { route: `${other}/none` } })
  const get = async (who: string, query: string) => {
    const response = await ask(who, 'GET', `/topology?${query}`)
    assert.equal(response.status, 200, response.text)
    return { ...response.json<Shown>(), etag: String(response.headers['etag']) }
  }
  const here = `namespace=${namespace}`
  const names = ({ nodes }: Shown): readonly string[] =>
    nodes.map(({ kind, namespace: of, name }) => `${kind} ${of === namespace ? '' : 'other/'}${name}`).toSorted()
  const own = [
    'AgentDeployment one',
    'AgentDeployment two',
    'AgentRegistry gone',
    'AgentRegistry team',
    'KnowledgeBase docs',
    'ModelProvider up',
    'ModelRoute fast',
  ]

  await t.test('a viewer sees nothing of a namespace that they may not list', async () => {
    const shown = await get('viewer', here)
    assert.deepEqual(names(shown), own)
    assert.deepEqual([shown.omitted, shown.truncated], [{}, false])
    const foreign = shown.edges.find(({ to }) => to.name === 'foreign')
    assert.deepEqual([foreign?.to.namespace, foreign?.role], [other, null], 'the agent names it')
    assert.deepEqual(names(await get('viewer', 'scope=permitted')), own)
    assert.deepEqual(names(await get('other-tenant', 'scope=permitted')), ['AgentRegistry other/foreign'])
    assert.equal((await ask('other-tenant', 'GET', `/topology?${here}`)).status, 403)
    assert.equal((await ask('viewer', 'GET', '/topology')).status, 403)
  })

  await t.test('who may read more sees more', async () => {
    const all = [...own, 'AgentRegistry other/foreign', 'ModelRoute other/none'].toSorted()
    const shown = await get('operator', here)
    assert.deepEqual(names(shown), all)
    const missing = shown.nodes.filter(({ phase }) => phase === 'missing').map(({ name, rank }) => [name, rank])
    assert.deepEqual(missing.toSorted(), [
      ['gone', 3],
      ['none', 3],
    ])
    assert.deepEqual(
      shown.nodes.slice(0, 2).map(({ rank }) => rank),
      [3, 3],
      'trouble first',
    )
  })

  await t.test('edges say what they mean', async () => {
    const { edges } = await get('viewer', here)
    const kinds = edges.map(({ from, to, kind }) => `${from.name} ${kind} ${to.name}`).toSorted()
    assert.deepEqual(kinds, [
      'fast routes up',
      'one calls two',
      'one member foreign',
      'one member gone',
      'one member team',
      'one uses docs',
      'one uses fast',
      'team member two',
      'two uses none',
    ])
  })

  await t.test('the surroundings of a registry', async () => {
    const near = await get('viewer', `${here}&registry=${namespace}/team&depth=1`)
    assert.deepEqual(names(near), ['AgentDeployment one', 'AgentDeployment two', 'AgentRegistry team'])
    const unknown = await ask('viewer', 'GET', `/topology?${here}&registry=${other}/foreign`)
    assert.equal(unknown.status, 404)
    for (const [query, pointer] of [
      ['registry=team', '?registry'],
      [`registry=${namespace}/team/x`, '?registry'],
      [`registry=${namespace}/te%00am`, '?registry'],
      [`registry=${'a/'.repeat(400)}`, '?registry'],
      ['depth=2', '?depth'],
      [`registry=${namespace}/team&depth=11`, '?depth'],
    ]) {
      const { status, text } = await ask('viewer', 'GET', `/topology?${here}&${query}`)
      assert.equal(status, 400, text)
      assert.ok(text.includes(`"${pointer}"`), text)
    }
  })

  await t.test('a large graph is cut, and an unchanged one is not sent again', async () => {
    for (let index = 0; index < 205; index++) await create('KnowledgeBase', `k-${index}`, {})
    const shown = await get('viewer', here)
    assert.deepEqual([shown.nodes.length, shown.truncated], [200, true])
    assert.deepEqual(shown.omitted, { KnowledgeBase: own.length + 205 - 200 })
    assert.equal(shown.etag, (await get('viewer', here)).etag)
  })
})

async function createObject(
  admin: KubeClient,
  kind: string,
  metadata: { readonly name: string; readonly namespace: string },
  spec: object,
): Promise<void> {
  const resource = kindsOf(plugins).find((one) => one.kind === kind)
  if (resource === undefined) throw new TypeError(`${kind} is not a kind`)
  await admin.create(resource, { apiVersion: resource.apiVersion, kind, metadata, spec })
}
