import assert from 'node:assert/strict'
import test from 'node:test'
import type { TreeNode } from '../contract/run-tree.ts'
import { compareTrees, MAX_COMPARED } from './compare-trees.ts'

let spans = 0
const node = (name: string, attributes: object = {}, children: readonly TreeNode[] = []): TreeNode => ({
  spanId: `span-${(spans += 1)}`,
  kind: 'tool',
  name,
  startedAt: new Date(0).toISOString(),
  durationMs: spans,
  status: 'ok',
  attributes: { toolCallId: `call-${spans}`, ...attributes },
  children,
  usage: null,
  cost: null,
  error: null,
  runId: null,
  content: null,
})
const names = (a: TreeNode, b: TreeNode) =>
  compareTrees(a, b).steps.map(({ a: left, b: right, differs }) => [left?.name, right?.name, ...differs])

test('equal runs have no difference, whatever their ids and times', () => {
  const make = () => node('run', {}, [node('search', { arguments: { q: 1 } }, [node('rank')]), node('reply')])
  assert.deepEqual(compareTrees(make(), make()).firstDifference, null)
})

test('steps are aligned, and the first difference is found', () => {
  const a = node('run', {}, [node('plan'), node('search', { arguments: { q: 1 } }), node('reply')])
  const failed = { ...node('reply'), status: 'error' as const }
  const b = node('run', {}, [node('plan'), node('search', { arguments: { q: 2 } }), node('retry'), failed])
  assert.deepEqual(names(a, b), [
    ['plan', 'plan'],
    ['search', 'search', 'arguments'],
    [undefined, 'retry'],
    ['reply', 'reply', 'status'],
  ])
  assert.equal(compareTrees(a, b).firstDifference, 1)
  assert.deepEqual(names(node('run'), b).length, 4)
  const nested = node('run', {}, [node('plan', {}, [node('reply')])])
  assert.equal(compareTrees(nested, node('run', {}, [node('plan'), node('reply')])).firstDifference, 1, 'depth counts')
})

test('large and deep trees are compared up to a bound', () => {
  const wide = node(
    'run',
    {},
    Array.from({ length: MAX_COMPARED + 5 }, () => node('search')),
  )
  const { steps, truncated } = compareTrees(wide, wide)
  assert.deepEqual([steps.length, truncated], [MAX_COMPARED, true])
  const deep = Array.from({ length: 20_000 }).reduce<TreeNode>((child) => node('x', {}, [child]), node('x'))
  assert.equal(compareTrees(deep, deep).truncated, true)
})
