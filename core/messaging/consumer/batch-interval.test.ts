import assert from 'node:assert/strict'
import test from 'node:test'
import { createBatchInterval, nextInterval } from './batch-interval.ts'

const running = new AbortController().signal

test('under load the interval doubles up to the longest; after a longer quiet it is the shortest again', () => {
  const load = Array.from({ length: 7 }, () => 0)
  const found = [...load, 60, 150, 5, 6].reduce<number[]>(
    (before, idleMs) => [...before, nextInterval(before.at(-1) ?? 0, { idleMs, longestMs: 100 })],
    [],
  )
  assert.deepEqual(found, [5, 10, 20, 40, 80, 100, 100, 100, 5, 10, 20])
  assert.equal(nextInterval(0, { idleMs: Infinity, longestMs: 0 }), 0)
})

test('a batch waits for the rest of its interval only, and for none once it stops', { timeout: 20_000 }, async () => {
  let now = 1_000
  const interval = createBatchInterval(3_600_000, undefined, () => now)
  const startedAt = now
  // Handling took longer than the interval.
  now += 60_000
  await interval.wait(startedAt, running)
  for (let turn = 0; turn < 30; turn++) await interval.wait(now - 3_600_000, running)
  // An hour is left.
  await interval.wait(now, AbortSignal.abort())
})
