import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createSemaphore } from './semaphore.ts'

test('a semaphore runs as many tasks at once as it has permits, in order, and releases the permit of a failed one', async () => {
  const enter = createSemaphore(2)
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const started: number[] = []
  const works = gates.map(({ promise }, index) =>
    enter(async () => {
      started.push(index)
      await promise
      return index
    }),
  )
  await setImmediate()
  assert.deepEqual(started, [0, 1])
  gates[1]?.reject(new Error('failed'))
  await assert.rejects(works[1] ?? Promise.resolve(), /failed/)
  await setImmediate()
  assert.deepEqual(started, [0, 1, 2])
  for (const { resolve } of gates) resolve()
  assert.deepEqual(await Promise.all([works[0], works[2], works[3]]), [0, 2, 3])
})
