import assert from 'node:assert/strict'
import test from 'node:test'
import { MAX_TIMER_MS } from '#schemas/values/duration.ts'
import { longTimeout } from './long-timeout.ts'

test('UXH10, F9: a delay above 2^31 - 1 ms does not fire early, and fires once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = { now: 0 }
  t.mock.method(performance, 'now', () => clock.now)
  const advance = (ms: number): void => {
    clock.now += ms
    t.mock.timers.tick(ms)
  }
  let fired = 0
  longTimeout(() => fired++, 2 * MAX_TIMER_MS + 10)
  advance(1)
  assert.equal(fired, 0, 'one timer of Node would have overflowed and fired')
  advance(MAX_TIMER_MS - 1)
  advance(MAX_TIMER_MS)
  assert.equal(fired, 0)
  advance(10)
  assert.equal(fired, 1)
  advance(MAX_TIMER_MS)
  assert.equal(fired, 1)
})

test('F9: a cancelled delay never fires', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let fired = 0
  longTimeout(() => fired++, 5).cancel()
  t.mock.timers.tick(10)
  assert.equal(fired, 0)
})
