import assert from 'node:assert/strict'
import test from 'node:test'
import type { CallPricing, ServedCall } from '../../contract/points.ts'
import { priceCall } from './price-call.ts'

test('B4: the first plugin that knows the cost decides; one that throws does not stop a call', async () => {
  const lines: unknown[] = []
  const log = { error: (...line: unknown[]) => void lines.push(line) } as never
  const priced = (...all: readonly CallPricing['costOf'][]) =>
    priceCall({ log, extensions: () => all.map((costOf, n) => ({ name: `p${n}`, costOf })) as never }, {
      provider: 'a/b',
      model: 'm',
    } as ServedCall)
  const cost = (amount: string) => ({ amount, currency: 'USD', price: 'route@1' })
  const broken = () => {
    throw new Error('secret')
  }
  const rejected = async () => broken()
  assert.equal(await priced(), undefined)
  assert.equal(await priced(() => undefined), undefined)
  assert.deepEqual(
    await priced(
      () => undefined,
      broken,
      rejected,
      async () => cost('1'),
      () => cost('2'),
    ),
    cost('1'),
  )
  assert.equal(lines.length, 2)
  assert.equal(JSON.stringify(lines).includes('secret'), false)
})
