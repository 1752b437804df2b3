import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import {
  filterNodes,
  objectPath,
  toGraphEdges,
  tableRowsOf,
} from '../../plugins/registries/console/topology/topology-view.ts'
import type { TopologyView } from '../../plugins/registries/console/topology/topology-view.ts'
import { nearestNode, toDrawnEdges } from '../../ui/parts/topology/graph-edges.ts'
import { toColumns } from '../../ui/parts/topology/layered-columns.ts'
import { placeGraph, scaleOf } from '../../ui/parts/topology/place-graph.ts'
import { toFrames } from '../../ui/parts/topology/topology-graph.ts'
import type { GraphEdge, GraphNode } from '../../ui/parts/topology/topology-graph.ts'
import { needsChromium } from './browser-session.ts'
import { cannedTopology, hostile, topologyEdge, topologyNode } from './canned-topology.ts'
import { checkLooks } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()

const node = (id: string, kind = 'AgentDeployment', namespace = 'a'): GraphNode => ({
  id,
  kind,
  namespace,
  name: id,
  rank: 0,
  phase: 'ready',
})
const edge = (from: string, to: string, kind: GraphEdge['kind'] = 'calls'): GraphEdge => ({
  from,
  to,
  kind,
  calls: 9,
  failed: 0,
})
const idsOf = (columns: readonly (readonly GraphNode[])[]) => columns.map((column) => column.map(({ id }) => id))

test('agents are in the frame of their first registry, and what they use is beside them', () => {
  const nodes = [
    node('r', 'AgentRegistry'),
    node('m'),
    node('n', 'AgentDeployment', 'b'),
    node('t', 'McpServer'),
    node('p', 'ModelProvider', 'z'),
  ]
  const edges = [edge('m', 'r', 'member'), edge('m', 'gone', 'member'), edge('m', 't', 'uses'), edge('t', 'p', 'uses')]
  const frames = toFrames(nodes, edges)
  assert.deepEqual(
    frames.map(({ title, nodes: list }) => [title, list.map(({ id }) => id)]),
    [
      ['r', ['m', 't', 'p']],
      ['b', ['n']],
    ],
  )
  assert.deepEqual(
    toFrames([node('alone', 'McpServer', 'c')], []).map(({ title }) => title),
    ['c'],
  )
})

test('what refers is left of what it refers to; a circle ends, and a high column is split', () => {
  const chain = ['a', 'b', 'c'].map((id) => node(id))
  assert.deepEqual(idsOf(toColumns(chain, [edge('a', 'b'), edge('b', 'c'), edge('a', 'c')])), [['a'], ['b'], ['c']])
  assert.deepEqual(idsOf(toColumns(chain, [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('a', 'a')])), [
    ['a'],
    ['b'],
    ['c'],
  ])
  const many = Array.from({ length: 20 }, (_, index) => node(String(index)))
  assert.deepEqual(
    toColumns(many, []).map(({ length }) => length),
    [7, 7, 6],
  )
  // Lines cross less if what is below refers to what is below.
  const crossed = ['x', 'y', '1', '2'].map((id) => node(id))
  assert.deepEqual(idsOf(toColumns(crossed, [edge('x', '2'), edge('y', '1')])), [
    ['x', 'y'],
    ['2', '1'],
  ])
  assert.deepEqual(toColumns([], []), [])
})

test('frames fill the box and never overlap; 200 objects in a chain are placed at once', () => {
  const nodes = Array.from({ length: 200 }, (_, index) => node(`n${index}`, 'AgentDeployment', `ns${index % 9}`))
  const edges = nodes.slice(1).map(({ id }, index) => edge(`n${index}`, id))
  const began = performance.now()
  const placed = placeGraph(nodes, edges, { width: 1100, height: 760 })
  assert.ok(performance.now() - began < 2000)
  assert.equal(placed.nodes.size, 200)
  for (const [index, a] of placed.frames.entries())
    for (const b of placed.frames.slice(index + 1)) {
      const isApart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
      assert.ok(isApart, `${a.frame.title} and ${b.frame.title}`)
    }
  assert.ok(scaleOf(placed, { width: 1100, height: 760 }) <= 1)
  assert.deepEqual([...placeGraph([], [], { width: 0, height: 0 }).nodes], [])
})

test('a line needs both ends; arrows go to the nearest node in their direction', () => {
  const nodes = ['a', 'b', 'c'].map((id) => node(id))
  const placed = placeGraph(nodes, [edge('a', 'b'), edge('a', 'c')], { width: 900, height: 600 })
  const drawn = toDrawnEdges([edge('a', 'b'), edge('a', 'gone'), edge('a', 'b', 'member')], placed)
  assert.equal(drawn.length, 1)
  assert.match(drawn[0]?.path ?? '', /^M[\d.]+ [\d.]+C/)
  assert.equal(nearestNode(placed, 'b', 'ArrowDown'), 'c')
  assert.equal(nearestNode(placed, 'b', 'ArrowLeft'), 'a')
  for (const [from, key] of [
    ['a', 'ArrowLeft'],
    ['a', 'Enter'],
    ['gone', 'ArrowDown'],
  ] as const)
    assert.equal(nearestNode(placed, from, key), undefined)
})

test('a filter keeps what is connected; several fields are one line; rows have what has no line', () => {
  const [a, b, c] = [
    topologyNode('AgentDeployment', 'x', 'alpha', 3),
    topologyNode('McpServer', 'x', 'beta'),
    topologyNode('AgentDeployment', 'y', 'gamma'),
  ] as const
  const edges = [topologyEdge(a, b, 'uses', 1), { ...topologyEdge(a, b, 'uses', 2), field: 'spec.tools[1]' }]
  const view = { nodes: [a, b, c], edges, omitted: {}, truncated: false } as unknown as TopologyView
  const shown = (words: string, isTroubleOnly = false) =>
    filterNodes(view, { words, isTroubleOnly }).map(({ name }) => name)
  assert.deepEqual(shown(''), ['alpha', 'beta', 'gamma'])
  assert.deepEqual(shown(' BETA '), ['alpha', 'beta'])
  assert.deepEqual(shown('', true), ['alpha', 'beta'])
  assert.deepEqual(shown('y/gam'), ['gamma'])
  assert.deepEqual(
    toGraphEdges(view.edges, view.nodes).map(({ calls, failed }) => [calls, failed]),
    [[240, 3]],
  )
  assert.deepEqual(toGraphEdges(view.edges, [a as never]), [])
  assert.deepEqual(
    tableRowsOf(view.nodes, view.edges).map(({ from, edge: line }) => [from.name, line?.failed1h]),
    [
      ['alpha', 2],
      ['alpha', 1],
      ['gamma', undefined],
    ],
  )
  assert.equal(objectPath({ kind: 'AgentDeployment', namespace: 'x', name: 'a/b' }), '/agents/x/a%2Fb')
})

test('graph and table in each look: no violation, nothing sideways, text as text', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, cannedTopology())
  const check = async (page: Page): Promise<void> => {
    const main = (await page.textContent('main')) ?? ''
    assert.ok(main.includes(hostile) && main.includes('Left out: 12 ModelRoute'))
    assert.equal(await page.locator('main img').count(), 0)
  }
  // A phone has the table.
  await checkLooks(browser, url, [['/topology', 'tbody tr[data-index="5"], [data-node]']], { check })
})

test('picking marks neighbours, arrows move, Esc and Back end it', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, cannedTopology())
  const { page } = await openLook(browser, `${url}/topology`, { scheme: 'light', width: 'wide' })
  await page.click('[data-node="AgentDeployment/support/refund-agent"]')
  await page.waitForSelector('main aside h2:text-is("refund-agent")')
  assert.equal(await page.locator('[data-node][aria-pressed="true"]').count(), 1)
  await page.keyboard.press('ArrowRight')
  await page.waitForSelector('[data-node^="McpServer/support"]:focus, [data-node^="KnowledgeBase/support"]:focus')
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/topology$/)
  await page.click('[data-node="AgentDeployment/support/triage"]')
  await page.waitForURL(/item=/)
  await page.goBack()
  await page.waitForURL(/\/topology$/)
  await page.click('button[role="radio"]:has-text("Trouble 3")')
  await page.waitForURL(/show=trouble/)
  await page.goto(`${url}/topology?view=table&item=none&q=nothing-has-this-name`)
  await page.waitForSelector('text=Nothing matches')
  await page.waitForSelector('text=This object is not shown')
})

test('no object, a denied topology and a failed one', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  for (const [topology, words] of [
    [{ nodes: [], edges: [], omitted: {}, truncated: false }, 'No agents'],
    [403, 'You may not see this page'],
    [500, 'Try again'],
  ] as const) {
    const url = await serveConsole(t, await packed, { ...cannedShell, '/api/topology': topology })
    const { page } = await openLook(browser, `${url}/topology`, { scheme: 'light', width: 'phone' })
    await page.waitForSelector(`text=${words}`)
    assert.deepEqual(await axeViolations(page), [])
    await page.context().close()
  }
})
