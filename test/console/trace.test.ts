import assert from 'node:assert/strict'
import test from 'node:test'
import { criticalPath } from '../../ui/parts/trace/critical-path.ts'
import { toFlameBoxes } from '../../ui/parts/trace/flame-boxes.ts'
import { flattenTree, totalOf, wayTo } from '../../ui/parts/trace/flat-tree.ts'
import type { SpanKind, TraceSpan, TreeSpan } from '../../ui/parts/trace/flat-tree.ts'
import { foldAtFirst, toggled, visibleRows } from '../../ui/parts/trace/fold-spans.ts'
import { toMinimapRects } from '../../ui/parts/trace/minimap-rects.ts'
import { actionOfKey, nextError, selectAtFirst } from '../../ui/parts/trace/span-keys.ts'
import { barOf, zoomAtFirst, zoomOfDrag, zoomTo } from '../../ui/parts/trace/zoom-spans.ts'

const began = Date.parse('2026-11-24T14:00:00Z')

/** A node of a tree: name, kind, start and duration in milliseconds. */
function node(
  name: string,
  [kind, start, duration]: readonly [SpanKind, number, number | null],
  children: readonly TreeSpan[] = [],
): TreeSpan {
  const status = name.startsWith('bad') ? 'error' : duration === null ? 'running' : 'ok'
  return {
    spanId: name,
    kind,
    name,
    startedAt: new Date(began + start).toISOString(),
    durationMs: duration,
    status,
    children,
  }
}

// run: step 1 (model), step 2 (two tools at the same time, the second one fails).
const tree = node(
  'run',
  ['run', 0, 1000],
  [
    node('step 1', ['step', 0, 400], [node('model', ['model', 10, 390])]),
    node('step 2', ['step', 400, 600], [node('tool', ['tool', 410, 100]), node('bad tool', ['tool', 420, 580])]),
  ],
)
const spans = flattenTree(tree)
const names = (places: Iterable<number>): readonly (string | undefined)[] =>
  [...places].map((place) => spans[place]?.name)

/** A run of many steps with one tool each. */
function longRun(steps: number, failing = -1): readonly TraceSpan[] {
  const list = Array.from({ length: steps }, (_, index) =>
    node(
      `step ${index}`,
      ['step', index * 100, 100],
      [node(index === failing ? 'bad' : 'tool', ['tool', index * 100, 90])],
    ),
  )
  return flattenTree(node('run', ['run', 0, steps * 100], list))
}

test('a tree becomes an array, depth first, with the place of each parent', () => {
  assert.deepEqual(
    spans.map(({ name, parent, depth, children }) => [name, parent, depth, children]),
    [
      ['run', -1, 0, 2],
      ['step 1', 0, 1, 1],
      ['model', 1, 2, 0],
      ['step 2', 0, 1, 2],
      ['tool', 3, 2, 0],
      ['bad tool', 3, 2, 0],
    ],
  )
  assert.deepEqual(names(wayTo(spans, 5)), ['step 2', 'run'])
  assert.deepEqual(wayTo(spans, 99), [])
})

test('a tree as deep as it is long, and times that are none or before the start', () => {
  let deep = node('leaf', ['tool', -50, null])
  for (let depth = 0; depth < 20_000; depth += 1) deep = node('level', ['step', 0, 1], [deep])
  const flat = flattenTree(deep)
  assert.equal(flat.length, 20_001)
  assert.deepEqual([flat.at(-1)?.start, flat.at(-1)?.duration], [0, undefined])
  assert.equal(flattenTree({ ...tree, startedAt: 'never', children: [] })[0]?.start, 0)
  assert.equal(totalOf(flat, 700), 700)
  assert.equal(totalOf([]), 1)
})

test('a short run opens whole, a long one breadth first and on the way to the selected span', () => {
  assert.equal(foldAtFirst(spans, 0).size, 0)
  const long = longRun(500)
  const folded = foldAtFirst(long, 1000)
  const rows = visibleRows(long, { folded })
  assert.equal(rows.length, 502)
  assert.ok(rows.includes(1000))
  assert.ok(rows.includes(long.findLastIndex(({ depth }) => depth === 1)))
})

test('a folded span hides all that is below it; a filter shows matches with the way to them', () => {
  assert.deepEqual(names(visibleRows(spans, { folded: new Set([3]) })), ['run', 'step 1', 'model', 'step 2'])
  assert.deepEqual(names(visibleRows(spans, { folded: new Set([0]) })), ['run'])
  assert.deepEqual(names(visibleRows(spans, { folded: new Set([0]), words: ' BAD ' })), ['run', 'step 2', 'bad tool'])
  assert.deepEqual(names(visibleRows(spans, { folded: new Set(), words: 'model' })), ['run', 'step 1', 'model'])
  assert.deepEqual(visibleRows(spans, { folded: new Set(), words: '<script>' }), [])
  assert.deepEqual([...toggled(new Set([1]), 2)], [1, 2])
  assert.deepEqual([...toggled(new Set([1]), 1)], [])
})

test('the critical path is what the end waited for', () => {
  assert.deepEqual(names([...criticalPath(spans, 1000)].toSorted((a, b) => a - b)), [
    'run',
    'step 1',
    'model',
    'step 2',
    'bad tool',
  ])
  assert.deepEqual([...criticalPath([], 1)], [])
})

test('a failed run opens on the failure and on its step, another one on the whole', () => {
  assert.equal(selectAtFirst(spans), 5)
  assert.deepEqual(zoomAtFirst(spans, 5), { from: 388, to: 1000 })
  assert.deepEqual(zoomAtFirst(spans, 2), { from: 0, to: 1000 })
  const long = longRun(500, 250)
  assert.deepEqual(zoomAtFirst(long, selectAtFirst(long)), { from: 0, to: 50_000 }, 'the step is 1/500 of the run')
  assert.equal(selectAtFirst([]), 0)
})

test('zoom, drag and bars keep to the time that there is', () => {
  const [model, tool] = [spans[2], spans[4]]
  assert.ok(model !== undefined && tool !== undefined)
  assert.deepEqual(zoomTo(model, 1000), { from: 2.2, to: 407.8 })
  assert.deepEqual(zoomTo({ ...model, duration: 0 }, 1000), { from: 0, to: 1000 })
  assert.deepEqual(zoomOfDrag(0.5, -3, 1000), { from: 0, to: 500 })
  assert.equal(zoomOfDrag(0.5, 0.501, 1000), undefined)
  assert.deepEqual(barOf(tool, { from: 400, to: 500 }, 1000), { left: 10, width: 92 })
  assert.deepEqual(barOf(tool, { from: 800, to: 900 }, 1000), { left: -2, width: 0 })
  assert.deepEqual(barOf({ ...tool, duration: undefined }, { from: 0, to: 1000 }, 1000), { left: 41, width: 59 })
})

test('keys move, fold and find errors', () => {
  const rows = visibleRows(spans, { folded: new Set() })
  const act = (key: string, selected: number, folded = new Set<number>()) =>
    actionOfKey(key, { spans, rows, folded, selected })
  assert.deepEqual(act('j', 0), { kind: 'select', place: 1 })
  assert.deepEqual(act('ArrowUp', 0), { kind: 'select', place: 0 })
  assert.deepEqual(act('End', 0), { kind: 'select', place: 5 })
  assert.deepEqual(act('ArrowLeft', 3), { kind: 'fold', place: 3 })
  assert.deepEqual(act('ArrowLeft', 4), { kind: 'select', place: 3 })
  assert.deepEqual(act('ArrowLeft', 3, new Set([3])), { kind: 'select', place: 0 })
  assert.deepEqual(act('ArrowRight', 3, new Set([3])), { kind: 'fold', place: 3 })
  assert.deepEqual(act('ArrowRight', 3), { kind: 'select', place: 4 })
  assert.equal(act('ArrowRight', 4), undefined)
  assert.deepEqual(act('e', 5), { kind: 'select', place: 5 })
  assert.deepEqual(act('z', 2), { kind: 'zoom', place: 2 })
  assert.deepEqual([act('*', 0), act('0', 0)], [{ kind: 'openAll' }, { kind: 'fit' }])
  assert.equal(act('q', 0), undefined)
  assert.equal(nextError(spans.slice(0, 5), 0), undefined)
})

test('a flame graph has no row for steps, and merges boxes under a pixel', () => {
  assert.deepEqual(
    toFlameBoxes(spans, 0, 1000).map(({ place, row, left, width }) => [
      spans[place]?.name,
      row,
      left,
      Math.round(width),
    ]),
    [
      ['run', 0, 0, 100],
      ['model', 1, 1, 39],
      ['tool', 1, 41, 10],
      ['bad tool', 1, 42, 58],
    ],
  )
  assert.deepEqual(
    toFlameBoxes(spans, 3, 1000).map(({ place }) => spans[place]?.name),
    ['step 2', 'tool', 'bad tool'],
  )
  assert.ok(toFlameBoxes(longRun(5000), 0, 500_000).length < 1200)
  assert.deepEqual(toFlameBoxes([], 0, 1), [])
})

test('the minimap draws failures last, and every span at least a pixel wide', () => {
  const rects = toMinimapRects(spans, 1000, { width: 100, height: 47 })
  assert.deepEqual(
    rects.map(({ hasError, x, y }) => [hasError, x, y]),
    [
      [false, 1, 23],
      [false, 41, 23],
      [true, 42, 23],
    ],
  )
  assert.ok(toMinimapRects(longRun(5000), 500_000, { width: 100, height: 47 }).every(({ width }) => width >= 1))
})
