import assert from 'node:assert/strict'
import test from 'node:test'
import { billionthsOf } from './quantity.ts'

test('quantities compare by amount in every notation', () => {
  const ascending = [
    '-1',
    '0',
    '1n',
    '1u',
    '1m',
    '0.1',
    '100.5m',
    '1',
    '1e3',
    '1Ki',
    '1.5k',
    '2E3',
    '1M',
    '1Mi',
    '1G',
    '1.5Gi',
    '1E',
    '1Ei',
  ]
  const amounts = ascending.map(billionthsOf)
  for (const [index, amount] of amounts.entries()) {
    assert.ok(amount !== undefined, `index ${index}: ${ascending[index]}`)
    const before = amounts[index - 1]
    assert.ok(before === undefined || before < amount, `${ascending[index - 1]} < ${ascending[index]}`)
  }
  assert.equal(billionthsOf('1000m'), billionthsOf('1'))
  assert.equal(billionthsOf(1.5), billionthsOf('1500m'))
  assert.equal(billionthsOf('0.0000000001'), 1n)
  for (const none of ['', '.', 'm', '1Xi', '1 ', 'cpu', undefined, {}]) assert.equal(billionthsOf(none), undefined)
})
