import assert from 'node:assert/strict'
import test from 'node:test'
import type { Bench } from '../tools/bench.ts'
import type { Measured } from '../tools/rounds.ts'
import { toPage } from './page.ts'
import { toResult } from './result.ts'
import { mergeResults } from './write-page.ts'

const machine = {
  cores: 2,
  model: 'X',
  memoryMiB: 2048,
  system: 'Linux 6',
  node: 'v24.1.0',
  versions: { NATS: '2.1.0' },
}
const figure = (candidate: string, median: number) => ({ candidate, figure: 'ms', median, q1: 1, q3: 3, rounds: 3 })
const measured: Measured = { figures: [figure('ours', 3000), figure('peer', 1000)], kept: 6, dropped: 1, busy: true }
const bench: Bench = {
  title: 'a race',
  measure: async () => measured,
  goals: (figureOf, has) => [
    {
      number: 13,
      text: 'ratio',
      value: figureOf('ours', 'ms') / 1000,
      limit: 2,
      peer: { candidate: 'peer', figure: 'ms' },
    },
    { text: 'peers', value: has('peer') && !has('left out') ? 1 : 0, limit: 1, atLeast: true },
  ],
}

test('the page lists each goal with its peer, missing results, and the machine of the measurement', () => {
  const page = toPage([toResult('race', bench, measured, machine)])
  assert.match(page, /^\| 13 \| domain events: ratio \| <= 2 \| 3 \| peer: 1,000 ms \| \*\*missed\*\* \|$/m)
  assert.match(page, /^- peers: 1 \(goal >= 1\): met$/m)
  assert.match(page, /^\| 17 \|.*not measured \|$/m)
  assert.match(page, /2 cores of X, 2 GiB, Linux 6; Node\.js 24\.1\.0, NATS 2\.1\.0\n- the machine was busy .*: race$/m)
  assert.match(page, /^\| ours \| ms \| 3,000 \| 1 - 3 \| 3 \|$/m)
})

test('the page keeps the results of benches that were not measured, and the newer one of each', () => {
  const one = (name: string, date: string, median: number) => ({
    ...toResult(name, bench, { ...measured, figures: [figure('ours', median), figure('peer', 1)] }, machine),
    date,
  })
  const shown = [one('old', '2026-01-01', 1), one('both', '2026-01-01', 2), one('newer', '2026-03-01', 3)]
  const merged = mergeResults(
    ['both', 'new', 'newer', 'old'],
    [...shown, one('removed', '2026-01-01', 4)],
    [one('both', '2026-02-01', 5), one('new', '2026-02-01', 6), one('newer', '2026-02-01', 7)],
  )
  assert.deepEqual(
    merged.map(({ name, figures }) => [name, figures[0]?.median]),
    [
      ['both', 5],
      ['new', 6],
      ['newer', 3],
      ['old', 1],
    ],
  )
})
