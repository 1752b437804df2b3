import assert from 'node:assert/strict'
import test from 'node:test'
import type { LauncherEntry } from '#schemas/run.ts'
import { createIntake } from './intake.ts'

const entry = (kind: LauncherEntry['kind'], n?: number): LauncherEntry => ({
  ts: '2026-01-01T00:00:00.000Z',
  kind,
  path: [],
  spanId: '',
  data: {},
  ...(n === undefined ? {} : { n }),
})

test('intake: deltas that arrive while nothing is under way are handed on, and what follows them too', async () => {
  const order: string[] = []
  const intake = createIntake(
    {
      commit: (entries) => Promise.resolve(void order.push(...entries.map(({ n }) => `entry ${n}`))),
      delta: () => void order.push('delta'),
    },
    0,
    (error) => assert.fail(String(error)),
  )
  intake.push(entry('message.started', 1))
  await intake.drained()
  for (let times = 0; times < 2; times++) {
    intake.push(entry('message.delta'))
    await intake.drained()
  }
  intake.push(entry('message.finished', 2))
  intake.push(entry('message.finished', 2))
  await intake.drained()
  assert.deepEqual(order, ['entry 1', 'delta', 'delta', 'entry 2'])
})

test('intake: a failed commit is told, and drops what waits behind it', async () => {
  const failures: unknown[] = []
  const intake = createIntake(
    { commit: () => Promise.reject(new Error('no')), delta: () => assert.fail('nothing follows a failure') },
    0,
    (error) => void failures.push(error),
  )
  intake.push(entry('message.started', 1))
  intake.push(entry('message.delta'))
  await intake.drained()
  assert.equal(failures.length, 1)
})
