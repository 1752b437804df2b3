import assert from 'node:assert/strict'
import test from 'node:test'
import { createLoopWatch } from './loop-watch.ts'

function watch(blockedMs: number) {
  const asked: number[] = []
  const state = { now: 1_000, answered: 0 }
  const blockedFor = createLoopWatch({
    ask: (question) => asked.push(question),
    answered: () => state.answered,
    now: () => state.now,
    blockedMs,
  })
  return { asked, state, blockedFor }
}

test('a loop that answers is never blocked, however long nothing probes', () => {
  const { asked, state, blockedFor } = watch(60_000)
  for (let i = 1; i <= 3; i++) {
    assert.equal(blockedFor(), undefined)
    assert.equal(asked.length, i)
    state.answered = i
    state.now += 3_600_000
  }
})

test('a loop is blocked when one question stays open beyond the bound, and not before', () => {
  const { asked, state, blockedFor } = watch(60_000)
  assert.equal(blockedFor(), undefined)
  state.now += 60_000
  assert.equal(blockedFor(), undefined)
  state.now += 1
  assert.equal(blockedFor(), 60_001)
  assert.deepEqual(asked, [1], 'a loop that does not turn is asked once')
})

test('a loop that turns again is alive again, with a bound of its own', () => {
  const { state, blockedFor } = watch(60_000)
  blockedFor()
  state.now += 90_000
  assert.equal(blockedFor(), 90_000)
  state.answered = 1
  assert.equal(blockedFor(), undefined)
  state.now += 59_000
  assert.equal(blockedFor(), undefined)
})
