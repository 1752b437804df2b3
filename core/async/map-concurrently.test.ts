import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mapConcurrently } from './map-concurrently.ts'

const numbers = Array.from({ length: 40 }, (_, index) => index)

test('keeps the order of the items and never exceeds the limit', async () => {
  let active = 0
  let most = 0
  const results = await mapConcurrently(
    numbers,
    async (number) => {
      most = Math.max(most, ++active)
      // Later items finish first within each turn of the loop.
      for (let turn = 0; turn < 5 - (number % 5); turn++) await nextTurn()
      active--
      return number * 2
    },
    7,
  )
  assert.deepEqual(
    results,
    numbers.map((number) => number * 2),
  )
  assert.equal(most, 7)
})

test('a slow item does not hold back the items after it', async () => {
  const finished: number[] = []
  const slow = Promise.withResolvers<void>()
  await mapConcurrently(
    numbers,
    async (number) => {
      if (number === 0) await slow.promise
      finished.push(number)
      if (finished.length === numbers.length - 1) slow.resolve()
    },
    2,
  )
  assert.equal(finished.at(-1), 0)
})

test('rejects with the first error and starts no further call', async () => {
  const started: number[] = []
  const mapped = mapConcurrently(
    numbers,
    async (number) => {
      started.push(number)
      await nextTurn()
      if (number === 1) throw new RangeError('one')
    },
    3,
  )
  await assert.rejects(mapped, RangeError)
  await nextTurn()
  await nextTurn()
  assert.ok(started.length <= 6, `started ${started.length}`)
})

test('an empty list has no calls', async () => {
  assert.deepEqual(await mapConcurrently([], () => assert.fail('called')), [])
})
