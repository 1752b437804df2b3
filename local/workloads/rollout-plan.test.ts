import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { isOverdue } from './objects/deployment-status.ts'
import { planReplacement, planRollout } from './rollout-plan.ts'
import type { PlannedReplica } from './rollout-plan.ts'

const replica = (id: string, current: boolean, ready: boolean): PlannedReplica => ({ id, current, ready })

test('without replicas, all wanted replicas are started', () => {
  assert.deepEqual(planRollout(3, []), { start: 3, stop: [] })
})

test('with a new template, a new replica is started before an old one is stopped', () => {
  const old = [replica('a', false, true), replica('b', false, true)]
  assert.deepEqual(planRollout(2, old), { start: 1, stop: [] })
  assert.deepEqual(planRollout(2, [...old, replica('c', true, false)]), { start: 0, stop: [] })
  assert.deepEqual(planRollout(2, [...old, replica('c', true, true)]), { start: 1, stop: ['a'] })
})

test('with a new template that never becomes ready, the old replicas keep running', () => {
  assert.deepEqual(planRollout(1, [replica('a', false, true), replica('b', true, false)]), { start: 0, stop: [] })
})

test('with fewer wanted replicas, unready ones are stopped first, then the youngest', () => {
  const three = [replica('a', true, true), replica('b', true, false), replica('c', true, true)]
  assert.deepEqual(planRollout(1, three), { start: 0, stop: ['b', 'c'] })
  assert.deepEqual(planRollout(0, three), {
    start: 0,
    stop: ['a', 'b', 'c'].toSorted((x, y) => 'bca'.indexOf(x) - 'bca'.indexOf(y)),
  })
})

test('a rollout keeps at least the wanted number of ready replicas, and at most one replica more', () => {
  const replicas = fc.array(fc.record({ current: fc.boolean(), ready: fc.boolean() }), { maxLength: 8 })
  fc.assert(
    fc.property(fc.nat(4), replicas, (wanted, drawn) => {
      const all = drawn.map((one, index) => ({ ...one, id: String(index) }))
      const { start, stop } = planRollout(wanted, all)
      const left = all.filter((one) => !stop.includes(one.id))
      const ready = (list: readonly PlannedReplica[]): number => list.filter((one) => one.ready).length
      assert.ok(ready(left) >= Math.min(ready(all), wanted))
      assert.ok(start === 0 || left.length + start <= wanted + 1)
      assert.ok(left.filter((one) => one.current).length + start <= Math.max(wanted, 0) || start === 0)
    }),
  )
})

test('repeated steps end with the wanted replicas, all of the newest template', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.array(fc.boolean(), { maxLength: 6 }), (wanted, olds) => {
      let all: PlannedReplica[] = olds.map((ready, index) => replica(`o${index}`, false, ready))
      for (let step = 0; step < 40; step += 1) {
        const { start, stop } = planRollout(wanted, all)
        all = all.filter((one) => !stop.includes(one.id)).map((one) => ({ ...one, ready: one.ready || one.current }))
        for (let i = 0; i < start; i += 1) all.push(replica(`n${step}-${i}`, true, false))
      }
      assert.equal(all.length, wanted)
      assert.ok(all.every((one) => one.current))
    }),
  )
})

test('UXM14: a rollout is overdue after its deadline, and a crash after the rollout is not', () => {
  const rollout = { rolledOut: false, rolloutBegan: 1_000 }
  assert.deepEqual([isOverdue(rollout, 120, 121_000), isOverdue(rollout, 120, 121_001)], [false, true])
  assert.equal(isOverdue({ ...rollout, rolledOut: true }, 120, 999_999), false)
})

test('on shared ports nothing starts before every old replica has ended', () => {
  const old = { id: 'old', current: false, ready: true }
  const current = (id: string) => ({ id, current: true, ready: false })
  assert.deepEqual(planReplacement(1, [], 0), { start: 1, stop: [] })
  assert.deepEqual(planReplacement(1, [old], 0), { start: 0, stop: ['old'] })
  assert.deepEqual(planReplacement(1, [], 1), { start: 0, stop: [] })
  assert.deepEqual(planReplacement(1, [current('a'), current('b')], 0), { start: 0, stop: ['b'] })
  assert.deepEqual(planReplacement(0, [old, current('a')], 0), { start: 0, stop: ['old', 'a'] })
})
