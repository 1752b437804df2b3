import assert from 'node:assert/strict'
import test from 'node:test'
import { toCount, toDelta, toPercent, toSize } from '../../ui/parts/format/counts.ts'
import { toDuration, toSpokenDuration } from '../../ui/parts/format/duration.ts'
import { sumAmounts, toMoney, toMoneyTicks } from '../../ui/parts/format/money.ts'
import { cutMiddle, hueOf, initialOf, initialsOf, toObjectName, toShortId } from '../../ui/parts/format/names.ts'
import { toAge, toClock, toDay, toExact, toRelative } from '../../ui/parts/format/times.ts'

/** Compares each input with its output. */
function assertEach<T>(of: (input: T) => string, cases: readonly (readonly [T, string])[]): void {
  assert.deepEqual(
    cases.map(([input]) => of(input)),
    cases.map(([, output]) => output),
  )
}

test('a duration has three figures and one unit, also where rounding adds a figure', () => {
  assertEach<number | null>(toDuration, [
    [8.4, '8.4 ms'],
    [9.96, '10 ms'],
    [840, '840 ms'],
    [999.6, '1.00 s'],
    [3420, '3.42 s'],
    [9996, '10.0 s'],
    [32_000, '32.0 s'],
    [59_960, '1 m 00 s'],
    [124_000, '2 m 04 s'],
    [3_599_800, '1 h 00 m'],
    [15_120_000, '4 h 12 m'],
    [273_600_000, '3 d 04 h'],
    [0, '0 ms'],
    [null, '—'],
    [Number.NaN, '—'],
    [-1, '—'],
  ])
})

test('money has two places from one cent on and four below; unknown is a dash', () => {
  assertEach<string | null>(
    (amount) => toMoney(amount, 'USD'),
    [
      ['4670.05', '$4,670.05'],
      ['0.04', '$0.04'],
      ['0.0036', '$0.0036'],
      ['0.00001', '<$0.0001'],
      ['0', '$0.00'],
      ['-0.5', '-$0.50'],
      ['123456789012345678.25', '$123,456,789,012,345,678.25'],
      [null, '—'],
      ['1e9', '—'],
      ['NaN', '—'],
    ],
  )
  assert.equal(toMoney('1', 'EUR'), '€1.00')
  assert.equal(toMoney('1.5', 'credits'), '1.50 credits')
})

test('labels of an axis of money differ, however small the sums are', () => {
  assert.deepEqual(toMoneyTicks([0, 25, 50], 'USD'), ['$0.00', '$25.00', '$50.00'])
  assert.deepEqual(toMoneyTicks([0, 0.2, 0.4], 'EUR'), ['€0.00', '€0.20', '€0.40'])
  assert.deepEqual(toMoneyTicks([0, 0.00002, 0.00004], 'USD'), ['$0.00000', '$0.00002', '$0.00004'])
  assert.deepEqual(toMoneyTicks([0, 2.5e-7, 5e-7], 'USD'), ['$0.00000000', '$0.00000025', '$0.00000050'])
  assert.deepEqual(toMoneyTicks([0, 1000], 'credits'), ['0.00 credits', '1,000.00 credits'])
})

test('amounts are added as decimals', () => {
  assert.equal(sumAmounts(['0.1', '0.2']), '0.3')
  assert.equal(sumAmounts(['-1', '0.5', null, 'x']), '-0.5')
  assert.equal(sumAmounts(['9007199254740993', '0.000000000000000001']), '9007199254740993.000000000000000001')
  assert.equal(sumAmounts([]), '0')
})

test('counts, shares, changes and sizes', () => {
  assertEach(toCount, [
    [9999, '9,999'],
    [12_800, '12.8K'],
    [920_000, '920K'],
  ])
  assert.deepEqual([toCount(null), toPercent(undefined)], ['—', '—'])
  assert.deepEqual(
    [toPercent(0.55), toPercent(0.978, 1), toPercent(1), toPercent(0.9996, 1)],
    ['55 %', '97.8 %', '100 %', '>99.9 %'],
  )
  assert.deepEqual([toDelta(8, '%'), toDelta(-3.1, 'pt', 1), toDelta(0.001, '%')], ['+8 %', '−3.1 pt', '±0 %'])
  assert.deepEqual(
    [toSize(0), toSize(1023), toSize(1536), toSize(300 * 1024 ** 2)],
    ['0 B', '1023 B', '1.5 KB', '300 MB'],
  )
})

test('times are relative in lists and exact with their zone', () => {
  const now = Date.parse('2026-11-24T14:05:00Z')
  assertEach<string>(
    (at) => toRelative(at, now),
    [
      ['2026-11-24T14:04:58Z', 'now'],
      ['2026-11-24T14:04:42Z', '18 s ago'],
      ['2026-11-24T13:58:00Z', '7 min ago'],
      ['2026-11-24T09:05:00Z', '5 h ago'],
      ['2026-11-21T14:05:00Z', '3 d ago'],
      ['2026-11-24T14:09:00Z', 'in 4 min'],
      ['yesterday', '—'],
    ],
  )
  const at = '2026-11-24T14:00:13.868Z'
  assert.equal(toExact(at), '2026-11-24 14:00:13.868 UTC')
  assert.equal(toExact(at, 'Europe/Berlin'), '2026-11-24 15:00:13.868 Europe/Berlin')
  assert.deepEqual([toDay(at), toClock(at), toAge(at, now)], ['24 Nov', '14:00:13', '4 min'])
  assert.deepEqual([toDay(null), toClock('x'), toAge(undefined, now)], ['—', '—', '—'])
})

test('names are cut in the middle and by code points; namespaces never', () => {
  assert.equal(cutMiddle('invoice-matcher', 9), 'invo…cher')
  assert.equal(cutMiddle('👩‍🚀'.repeat(9), 3), '👩…🚀')
  assert.equal(cutMiddle('ab', 2), 'ab')
  assert.equal(cutMiddle('abc', 1), '…')
  assert.equal(
    toObjectName('a-very-long-namespace-of-a-team', 'x'.repeat(60), 40),
    'a-very-long-namespace-of-a-team/xxxx…xxx',
  )
  assert.equal(toShortId('0193c5e1-77aa-7000'), '0193c5e1')
  assert.equal(hueOf('triage'), hueOf('triage'))
  assert.deepEqual([initialOf(''), initialOf('triage')], ['?', 'T'])
  assert.deepEqual(['mira.lang@acme.dev', 'system:serviceaccount:demo:bot', 'ada', ''].map(initialsOf), [
    'ML',
    'B',
    'A',
    '?',
  ])
})

test('a duration is said in whole words', () => {
  assertEach<number>(toSpokenDuration, [
    [555, '555 milliseconds'],
    [1, '1 millisecond'],
    [1500, '1.5 seconds'],
    [319_000, '5 minutes 19 seconds'],
    [60_000, '1 minute'],
    [59_990, '1 minute'],
    [15_120_000, '4 hours 12 minutes'],
    [90_000_000, '1 day 1 hour'],
  ])
})
