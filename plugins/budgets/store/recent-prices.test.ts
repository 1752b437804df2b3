import assert from 'node:assert/strict'
import test from 'node:test'
import { createRecentPrices } from './recent-prices.ts'

const hold = (id: string, holder = 'a') => ({ id, holder, currency: 'USD', prices: [id] })

test('B1: prices of recent holds are those of their holder, and the oldest are forgotten', () => {
  const recent = createRecentPrices(2)
  for (const id of ['1', '2', '3']) recent.add(hold(id))
  recent.add(hold('3', 'a'))
  assert.deepEqual([...recent.of('a', ['1', '2', '3', '4']).keys()], ['2', '3'])
  assert.deepEqual(recent.of('b', ['2', '3']).size, 0)
})
