import assert from 'node:assert/strict'
import test from 'node:test'
import { axisTicks, shownLabels } from '../../ui/parts/figure/axis-ticks.ts'
import { topSeries, toStacks } from '../../ui/parts/figure/day-stacks.ts'
import { toLines } from '../../ui/parts/figure/line-points.ts'
import { fromField, isRelative, toField, toInstants } from '../../ui/parts/filter/ranges.ts'
import { toBand } from '../../ui/parts/status/revision-band.ts'
import { rowsInView, scrollToMiddle, scrollToRow } from '../../ui/parts/table/row-window.ts'

test('ticks of an axis are round, begin at 0 and reach the maximum', () => {
  assert.deepEqual(axisTicks(93), [0, 25, 50, 75, 100])
  assert.deepEqual(axisTicks(0.7), [0, 0.2, 0.4, 0.6, 0.8])
  assert.deepEqual(axisTicks(0.3), [0, 0.1, 0.2, 0.3])
  assert.deepEqual(
    [axisTicks(0), axisTicks(Number.NaN), axisTicks(-3)],
    [
      [0, 1],
      [0, 1],
      [0, 1],
    ],
  )
  assert.deepEqual([...shownLabels(30, 10)], [0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
  assert.deepEqual([...shownLabels(0, 10)], [])
})

test('a chart has at most six series; the rest is one, and nothing is lost', () => {
  const amounts = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`agent-${index}`, String(9 - index)]))
  const days = [
    { day: '2026-11-24', amounts },
    { day: '2026-11-25', amounts: { 'agent-8': 'x' }, isPartial: true },
  ]
  const series = topSeries(days, 'others')
  assert.deepEqual(series, ['agent-0', 'agent-1', 'agent-2', 'agent-3', 'agent-4', 'others'])
  const [first, second] = toStacks(days, series)
  assert.equal(first?.total, 45)
  assert.deepEqual(first?.parts.at(-1), { series: 5, value: 10 })
  assert.deepEqual([second?.total, second?.isPartial, second?.forecast], [0, true, undefined])
  assert.deepEqual(toStacks([], []), [])
})

test('a line has gaps where a value is unknown, and its axis begins at 0', () => {
  const lines = toLines([10, null, 5, 0], { width: 32, height: 25 })
  assert.deepEqual(
    lines.map((line) => line.map(({ x, y }) => [x, y])),
    [
      [[1, 3]],
      [
        [21, 13],
        [31, 23],
      ],
    ],
  )
  assert.deepEqual(
    toLines([0, 0], { width: 10, height: 10 })[0]?.map(({ y }) => y),
    [8, 8],
  )
  assert.deepEqual(toLines([], { width: 10, height: 10 }), [])
})

test('a range of an address becomes instants; an invalid one is refused', () => {
  const now = Date.parse('2026-11-24T12:00:00Z')
  assert.deepEqual(toInstants({ from: '6h' }, now), { from: '2026-11-24T06:00:00.000Z' })
  assert.deepEqual(toInstants({ from: '7d' }, now), { from: '2026-11-17T12:00:00.000Z' })
  const both = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' }
  assert.deepEqual(toInstants(both, now), both)
  for (const bad of [
    { from: '' },
    { from: '0h' },
    { from: '6w' },
    { from: both.to, to: both.from },
    { from: both.from, to: 'x' },
    { from: '9999d' },
  ])
    assert.equal(toInstants(bad, now), undefined, JSON.stringify(bad))
  assert.deepEqual([isRelative({ from: '24h' }), isRelative(both)], [true, false])
  assert.equal(fromField('2026-11-24T12:00'), '2026-11-24T12:00:00.000Z')
  assert.deepEqual([fromField(''), toField(both.from), toField('7d')], [undefined, '2026-11-01T00:00', ''])
})

test('revisions stand on a band of days, cut at its start', () => {
  const now = Date.parse('2026-11-24T00:00:00Z')
  const at = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T00:00:00Z`
  const served = [
    { revision: 'r2', from: at(19), isRolledBack: true },
    { revision: 'r1', from: at(1), isRolledBack: false },
    { revision: 'r0', from: '2026-01-01T00:00:00Z', isRolledBack: false },
    { revision: 'r9', from: '2027-01-01T00:00:00Z', isRolledBack: false },
  ]
  assert.deepEqual(toBand(served, now, 10), [
    { revision: 'r1', isRolledBack: false, left: 0, width: 50 },
    { revision: 'r2', isRolledBack: true, left: 50, width: 50 },
  ])
})

test('of a long list the rows in view are known by a division', () => {
  const box = { scrollTop: 0, height: 100, rowHeight: 10 }
  assert.deepEqual(rowsInView(1000, box), { first: 0, end: 26 })
  assert.deepEqual(rowsInView(1000, { ...box, scrollTop: 5000 }), { first: 492, end: 518 })
  assert.deepEqual(rowsInView(1000, { ...box, scrollTop: 99_999 }), { first: 974, end: 1000 })
  assert.deepEqual(rowsInView(5, { ...box, scrollTop: -3 }), { first: 0, end: 5 })
  assert.deepEqual(
    [scrollToRow(3, box), scrollToRow(50, box), scrollToRow(0, { ...box, scrollTop: 200 })],
    [undefined, 410, 0],
  )
  assert.deepEqual([scrollToMiddle(50, box), scrollToMiddle(1, box)], [455, 0])
})
