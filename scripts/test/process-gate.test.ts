import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createProcessGate } from './process-gate.ts'

const gigabyte = 2 ** 30

/** A gate on a machine of the given load, and the processes that it has admitted. */
function gateOn(least: number, most: number, machine: { idle: number; free: number }) {
  const admitted: number[] = []
  let samples = 0
  const idleShare = (): number => {
    samples++
    return machine.idle
  }
  const gate = createProcessGate({ least, most }, { idleShare, freeBytes: () => machine.free }, 1)
  const sampled = async (count: number): Promise<void> => {
    const end = samples + count
    const isDone = (): boolean => samples >= end
    while (!isDone()) await turn()
  }
  const enter = (name: number): void => void gate.enter().then(() => admitted.push(name))
  return { admitted, enter, sampled, leave: gate.leave }
}

test('a busy machine has the least number of processes, in the order of their requests', async () => {
  const { admitted, enter, sampled, leave } = gateOn(2, 4, { idle: 0.1, free: 9 * gigabyte })
  for (const name of [1, 2, 3, 4]) enter(name)
  await sampled(5)
  assert.deepEqual(admitted, [1, 2])
  leave()
  await turn()
  assert.deepEqual(admitted, [1, 2, 3])
})

test('idle processors admit one process per sample, up to the most', async () => {
  const machine = { idle: 0, free: 9 * gigabyte }
  const { admitted, enter, sampled, leave } = gateOn(1, 3, machine)
  for (const name of [1, 2, 3, 4]) enter(name)
  await sampled(3)
  assert.deepEqual(admitted, [1])
  machine.idle = 0.6
  await sampled(8)
  assert.deepEqual(admitted, [1, 2, 3])
  machine.idle = 0
  await sampled(1)
  // Two remain, one more than the least: the next waits for idle processors.
  leave()
  await sampled(3)
  assert.deepEqual(admitted, [1, 2, 3])
  machine.idle = 0.6
  while (admitted.length < 4) await turn()
})

test('idle processors admit no process without free memory, and none beyond equal limits', async () => {
  const full = gateOn(1, 3, { idle: 0.9, free: gigabyte })
  full.enter(1)
  full.enter(2)
  await full.sampled(5)
  assert.deepEqual(full.admitted, [1])
  const fixed = gateOn(1, 1, { idle: 0.9, free: 9 * gigabyte })
  fixed.enter(1)
  fixed.enter(2)
  await turn()
  fixed.leave()
  await turn()
  assert.deepEqual(fixed.admitted, [1, 2])
})
