import assert from 'node:assert/strict'
import test from 'node:test'
import { createBoundedBuffer } from './bounded-buffer.ts'

/** A consumer whose calls complete when the test completes them. */
function taker() {
  const calls: (readonly number[])[] = []
  let under = Promise.withResolvers<void>()
  return {
    calls,
    take: (items: readonly number[]) => {
      calls.push(items)
      under = Promise.withResolvers()
      return under.promise
    },
    done: async () => {
      under.resolve()
      await settle()
    },
    fail: async () => {
      under.reject(new Error('gave up'))
      await settle()
    },
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))
const bounds = { items: 100, bytes: 1_000, batch: 3 }

test('items pushed while a batch is processed form the next batch, in order and bounded', async () => {
  const { calls, take, done } = taker()
  const buffer = createBoundedBuffer(bounds, take)
  for (const item of [1, 2, 3, 4, 5]) await buffer.push(item, 1)
  assert.deepEqual([calls, buffer.length], [[[1]], 4])
  await done()
  assert.deepEqual(calls.at(-1), [2, 3, 4])
  let settled = false
  void buffer.settled().then(() => (settled = true))
  await done()
  assert.deepEqual([calls.at(-1), settled], [[5], false])
  await done()
  assert.equal(settled, true)
  await buffer.push(6, 1)
  assert.deepEqual(calls.at(-1), [6])
})

for (const [what, tight, size] of [
  ['items', { ...bounds, items: 2 }, 1],
  ['bytes', { ...bounds, bytes: 300 }, 100],
] as const)
  test(`push waits while too many ${what} are held, until a batch is done`, async () => {
    const { take, done } = taker()
    const buffer = createBoundedBuffer(tight, take)
    await buffer.push(1, size)
    await buffer.push(2, size)
    let room = false
    const third = buffer.push(3, size).then(() => (room = true))
    await settle()
    assert.equal(room, false)
    await done()
    await third
  })

test('after take rejected it is not called again, and no push waits', async () => {
  const { calls, take, fail } = taker()
  const buffer = createBoundedBuffer({ ...bounds, items: 2 }, take)
  await buffer.push(1, 1)
  await buffer.push(2, 1)
  const full = buffer.push(3, 1)
  await fail()
  await full
  await buffer.push(4, 1)
  await buffer.settled()
  assert.deepEqual([calls, buffer.length], [[[1]], 0])
})
