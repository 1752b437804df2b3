import assert from 'node:assert/strict'
import test from 'node:test'
import { createRefusalCounts } from './refused-sign-ins.ts'
import type { RefusedSignIns } from './refused-sign-ins.ts'

const refusal = { way: 'token', outcome: 'denied', code: 'unauthenticated', traceparent: '00-a-b-01' } as const

test('refused sign-ins: a flood is a report at once, and one count a minute for each way and reason', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reported: RefusedSignIns[] = []
  const counts = createRefusalCounts((one) => reported.push(one))
  const countsOf = (): readonly unknown[] => reported.splice(0).map(({ way, code, count }) => [way, code, count])
  for (let n = 0; n < 100_000; n++) counts.add({ ...refusal, traceparent: `00-${n}-b-01` })
  counts.add({ ...refusal, way: 'code', code: 'not_found' })
  assert.deepEqual(countsOf(), [
    ['token', 'unauthenticated', 1],
    ['code', 'not_found', 1],
  ])
  t.mock.timers.tick(59_999)
  assert.deepEqual(countsOf(), [])
  t.mock.timers.tick(1)
  assert.equal(reported[0]?.traceparent, '00-1-b-01', 'the first one that is not reported yet')
  assert.deepEqual(countsOf(), [['token', 'unauthenticated', 99_999]])
  for (let n = 0; n < 50; n++) counts.add(refusal)
  assert.deepEqual(countsOf(), [], 'still within a minute of the last report')
  t.mock.timers.tick(60_000)
  assert.deepEqual(countsOf(), [['token', 'unauthenticated', 50]])
  t.mock.timers.tick(60_000)
  counts.add(refusal)
  assert.deepEqual(countsOf(), [['token', 'unauthenticated', 1]], 'after a minute without one it is reported at once')
})

test('refused sign-ins: what is counted when the server closes is reported', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reported: number[] = []
  const counts = createRefusalCounts(({ count }) => reported.push(count))
  for (let n = 0; n < 7; n++) counts.add(refusal)
  counts.close()
  assert.deepEqual(reported, [1, 6])
  t.mock.timers.tick(600_000)
  assert.deepEqual(reported, [1, 6])
})
