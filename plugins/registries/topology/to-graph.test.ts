import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { TopologyMetrics } from '#schemas/api/topology.ts'
import { around, cutGraph } from './cut-graph.ts'
import { nodeName } from './graph-kinds.ts'
import type { LinkedObject } from './read-objects.ts'
import { toGraph } from './to-graph.ts'
import type { Graph } from './to-graph.ts'

const none = { calls: new Map(), metrics: new Map() }
const reference = (kind: string, name: string, field: string) => ({ kind, namespace: 'home', name, field })

function linked(
  kind: string,
  name: string,
  references: LinkedObject['references'] = [],
  { spec = {}, conditions = {} as Readonly<Record<string, string>> } = {},
): LinkedObject {
  const metadata = { namespace: 'home', name, uid: name }
  const status = { conditions: Object.entries(conditions).map(([type, value]) => ({ type, status: value })) }
  const object = { apiVersion: 'mesh.dev/v1alpha1', kind, metadata, spec, status }
  return { ...nodeName(kind, 'home', name), object, references }
}

test('R2-M3: the graph has agents, registries and the references between them', () => {
  const roles = [{ name: 'lead', agents: [{ name: 'b' }] }]
  const agent = linked(
    'AgentDeployment',
    'a',
    [
      reference('AgentRegistry', 'team', 'spec.registries[0]'),
      reference('AgentRegistry', 'gone', 'spec.registries[1]'),
      reference('AgentDeployment', 'b', 'spec.delegates[0]'),
      reference('ModelRoute', 'm', 'spec.model.route'),
    ],
    { spec: { registries: [{ name: 'team' }, { name: 'gone' }] } },
  )
  const team = linked('AgentRegistry', 'team', [reference('AgentDeployment', 'b', 'spec.roles[0].agents[0]')], {
    spec: { roles },
  })
  const route = linked('ModelRoute', 'm', [reference('ModelProvider', 'p', 'spec.providerRef')])
  const gone = { ...nodeName('AgentRegistry', 'home', 'gone'), references: [] }
  const { nodes, edges } = toGraph([agent, team, route, gone], none)
  assert.deepEqual(
    nodes.map(({ kind, name, found, phase, rank }) => [kind, name, found, phase, rank]),
    [
      ['AgentDeployment', 'a', true, 'unknown', 0],
      ['AgentRegistry', 'team', true, 'unknown', 0],
      ['ModelRoute', 'm', true, 'unknown', 0],
      ['AgentRegistry', 'gone', false, 'missing', 3],
    ],
  )
  assert.deepEqual(
    edges.map(({ from, to, kind, role }) => [from.name, to.name, kind, role]),
    [
      ['a', 'team', 'member', 'member'],
      ['a', 'gone', 'member', null],
      ['a', 'b', 'calls', null],
      ['a', 'm', 'uses', null],
      ['team', 'b', 'member', 'lead'],
      ['m', 'p', 'routes', null],
    ],
  )
})

test('trouble is what is missing, degraded or not ready, then what fails', () => {
  const metrics: TopologyMetrics = { runs1h: 9, failed1h: 1, cost24h: null }
  const uses = reference('ModelRoute', 'm', 'spec.model.route')
  const objects = [
    linked('AgentDeployment', 'well', [], { conditions: { Ready: 'True' } }),
    linked('AgentDeployment', 'failing', [uses], { conditions: { Ready: 'True' } }),
    linked('AgentDeployment', 'waiting', [], { conditions: { Ready: 'False' } }),
    linked('AgentDeployment', 'broken', [], { conditions: { Ready: 'True', Degraded: 'True' } }),
    linked('ModelRoute', 'm', [], { conditions: { Ready: 'True' } }),
  ]
  const edge = 'AgentDeployment/home/failing ModelRoute/home/m'
  const graph = toGraph(objects, {
    calls: new Map([[edge, { count1h: 5, failed1h: 2, p95Ms: 80 }]]),
    metrics: new Map([['AgentDeployment/home/failing', metrics]]),
  })
  const { nodes, edges, omitted } = cutGraph(graph, 4)
  assert.deepEqual(
    nodes.map(({ name, rank, phase, ready }) => [name, rank, phase, ready]),
    [
      ['broken', 3, 'degraded', true],
      ['waiting', 2, 'notReady', false],
      ['failing', 1, 'ready', true],
      ['m', 1, 'ready', true],
    ],
  )
  assert.deepEqual(omitted, { AgentDeployment: 1 })
  assert.deepEqual(
    edges.map(({ count1h, failed1h, p95Ms }) => [count1h, failed1h, p95Ms]),
    [[5, 2, 80]],
  )
})

test('a cut graph has the worst nodes, counts the others, and has edges of its nodes only', () => {
  const size = fc.integer({ min: 0, max: 30 })
  fc.assert(
    fc.property(size, size, fc.array(fc.tuple(size, size), { maxLength: 60 }), (count, most, pairs) => {
      const objects = Array.from({ length: count }, (_, index) =>
        linked(
          'AgentDeployment',
          `a${index}`,
          pairs.filter(([from]) => from === index).map(([, to]) => reference('AgentDeployment', `a${to}`, 'f')),
          { conditions: { Ready: index % 3 === 0 ? 'False' : 'True' } },
        ),
      )
      const graph = toGraph(objects, none)
      const cut = cutGraph(graph, most)
      assert.equal(cut.nodes.length, Math.min(count, most))
      assert.equal(cut.omitted['AgentDeployment'] ?? 0, count - cut.nodes.length)
      const worst = Math.min(...cut.nodes.map(({ rank }) => rank))
      const ids = new Set(cut.nodes.map(({ id }) => id))
      for (const { id, rank } of graph.nodes) assert.ok(ids.has(id) || rank <= worst)
      for (const { from } of cut.edges) assert.ok(ids.has(from.id))
    }),
  )
})

test('the surroundings of a registry end after some edges, in both directions', () => {
  const chain = (index: number) =>
    linked('AgentDeployment', `a${index}`, [reference('AgentDeployment', `a${index + 1}`, 'f')])
  const graph: Graph = toGraph([0, 1, 2, 3, 4].map(chain), none)
  const names = (depth: number): readonly string[] =>
    around(graph, 'AgentDeployment/home/a2', depth)
      .nodes.map(({ name }) => name)
      .toSorted()
  assert.deepEqual(names(1), ['a1', 'a2', 'a3'])
  assert.deepEqual(names(10), ['a0', 'a1', 'a2', 'a3', 'a4'])
})
