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
    { after: 0, onError: (error) => assert.fail(String(error)) },
  )
  void intake.push(entry('message.started', 1), 10)
  await intake.drained()
  for (let times = 0; times < 2; times++) {
    void intake.push(entry('message.delta'), 10)
    await intake.drained()
  }
  void intake.push(entry('message.finished', 2), 10)
  void intake.push(entry('message.finished', 2), 10)
  await intake.drained()
  assert.deepEqual(order, ['entry 1', 'delta', 'delta', 'entry 2'])
})

test('intake: a failed commit is reported, and drops what waits behind it', async () => {
  const failures: unknown[] = []
  const intake = createIntake(
    { commit: () => Promise.reject(new Error('no')), delta: () => assert.fail('nothing follows a failure') },
    { after: 0, onError: (error) => void failures.push(error) },
  )
  void intake.push(entry('message.started', 1), 10)
  void intake.push(entry('message.delta'), 10)
  await intake.drained()
  assert.equal(failures.length, 1)
})
