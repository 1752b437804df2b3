import assert from 'node:assert/strict'
import test from 'node:test'
import { createTurns } from './fair-turns.ts'

/** Starts requests of an owner. Returns how many have started, and functions that end them, in order. */
function starter(turns: ReturnType<typeof createTurns>, owner: string) {
  const ends: (() => void)[] = []
  const start = (count: number): void => {
    for (let n = 0; n < count; n++) void turns.start(owner).then((end) => ends.push(end))
  }
  return { start, ends }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('F4: a user alone is not delayed; beside others two of its requests run at once', async () => {
  const clock = { now: 0 }
  const turns = createTurns({ atOnce: 2, now: () => clock.now })
  const [a, b] = [starter(turns, 'a'), starter(turns, 'b')]
  a.start(20)
  await settle()
  assert.equal(a.ends.length, 20)
  b.start(1)
  await settle()
  assert.equal(b.ends.length, 1, 'another user starts at once')
  a.start(5)
  await settle()
  assert.equal(a.ends.length, 20, 'a waits for its own')
  for (const end of a.ends.slice(0, 19)) end()
  await settle()
  assert.equal(a.ends.length, 21)
  // No request of b for a second, so a is alone again.
  clock.now = 1_000
  a.ends[19]?.()
  await settle()
  assert.equal(a.ends.length, 25)
})

test('F4: a request that waits for something else gives its turn to the next after 50 ms', async () => {
  const clock = { now: 0 }
  const turns = createTurns({ atOnce: 2, now: () => clock.now })
  const [a, b] = [starter(turns, 'a'), starter(turns, 'b')]
  b.start(1)
  a.start(4)
  await settle()
  assert.equal(a.ends.length, 2)
  clock.now = 50
  a.start(1)
  await settle()
  assert.equal(a.ends.length, 4)
})
