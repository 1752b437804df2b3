import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { forecast } from './forecast.ts'
import { forecastCost } from './forecast-cost.ts'

const near = (found: number, expected: number, scale = 1): void =>
  assert.ok(Math.abs(found - expected) <= 1e-6 * Math.max(scale, Math.abs(expected)), `${found} is not ${expected}`)
const cost = fc.nat(1e12)
const lengths = { minLength: 7, maxLength: 90 }

test('what is constant goes on, without a doubt', () => {
  fc.assert(
    fc.property(cost, fc.integer({ min: 7, max: 90 }), fc.integer({ min: 1, max: 31 }), (value, days, count) => {
      const { amount, low, high } = forecast(Array.from({ length: days }, () => value))!.sum(0, count)
      for (const found of [amount, low, high]) near(found, value * count, 1e3)
    }),
  )
})

test('a line goes on as a line, and a falling one ends at 0', () => {
  const line = Array.from({ length: 10 }, (_, day) => 100 + 10 * day)
  near(forecast(line)!.sum(0, 2).amount, 200 + 210)
  near(forecast(line)!.sum(5, 1).amount, 250)
  const falling = Array.from({ length: 10 }, (_, day) => 100 - 10 * day)
  assert.equal(forecast(falling)!.sum(3, 20).amount, 0)
})

test('weekdays that differ are repeated, from two weeks on', () => {
  const week = fc.array(cost, { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(week, fc.integer({ min: 2, max: 8 }), (days, weeks) => {
      const { method, sum } = forecast(Array.from({ length: weeks * 7 }, (_, day) => days[day % 7] ?? 0))!
      assert.equal(method, 'weighted-least-squares-with-weekdays')
      const scale = Math.max(...days)
      for (const [day, value] of days.entries()) near(sum(day, 1).amount, value, scale)
    }),
  )
  assert.equal(forecast(Array.from({ length: 13 }, () => 1))?.method, 'weighted-least-squares')
  assert.equal(forecast([1, 2, 3, 4, 5, 6]), undefined)
})

test('an interval holds its amount, grows with the noise, and follows the unit of the costs', () => {
  fc.assert(
    fc.property(fc.array(cost, lengths), fc.nat(30), fc.integer({ min: 1, max: 31 }), (costs, skip, count) => {
      const { amount, low, high } = forecast(costs)!.sum(skip, count)
      assert.ok(low >= 0 && low <= amount && amount <= high && Number.isFinite(high))
      const scaled = forecast(costs.map((one) => one * 4))!.sum(skip, count)
      near(scaled.high, high * 4, 1e3)
    }),
  )
  const noisy = (noise: number) => {
    const { low, high } = forecast(Array.from({ length: 28 }, (_, day) => 100 + noise * ((day * 7919) % 5)))!.sum(0, 30)
    return high - low
  }
  assert.ok(noisy(10) > noisy(1) * 5)
})

test('four of five months of independent days are within the interval', () => {
  // A linear congruential generator: the same days in each run.
  let seed = 1
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const day = (): number => 100 + 60 * (random() + random() + random() - 1.5)
  let within = 0
  for (let round = 0; round < 500; round++) {
    const { low, high } = forecast(Array.from({ length: 42 }, day))!.sum(0, 30)
    const spent = Array.from({ length: 30 }, day).reduce((sum, one) => sum + one, 0)
    if (spent >= low && spent <= high) within += 1
  }
  assert.ok(within > 350 && within < 450, `${within} of 500`)
})

test('R2-M12: of a currency: the rest of the month and 30 days, or null with the reason', () => {
  const days = Array.from({ length: 20 }, (_, index) => ({
    day: `2026-11-${String(index + 1).padStart(2, '0')}`,
    micros: 1_000_000n,
  }))
  const { days: daily, ...found } = forecastCost('USD', days, '2026-11-21')
  assert.deepEqual([daily.length, daily[0]], [30, { day: '2026-11-21', amount: '1', low: '1', high: '1' }])
  assert.equal(daily.at(-1)?.day, '2026-12-20')
  assert.deepEqual(found, {
    currency: 'USD',
    method: 'weighted-least-squares-with-weekdays',
    reason: 'There are 20 days since the first cost.',
    basis: { from: '2026-11-01', to: '2026-11-20', days: 20 },
    spentThisMonth: '20',
    restOfMonth: { from: '2026-11-21', to: '2026-11-30', amount: '10', low: '10', high: '10' },
    next30Days: { from: '2026-11-21', to: '2026-12-20', amount: '30', low: '30', high: '30' },
  })
  const few = forecastCost('EUR', days.slice(0, 6), '2026-11-07')
  assert.deepEqual([few.method, few.restOfMonth, few.next30Days], ['none', null, null])
  assert.match(few.reason, /7 days.*6/)
  // Days without calls count: they cost nothing. Days of the month before are in the basis, not in what was spent.
  const gap = forecastCost('USD', [{ day: '2026-10-20', micros: 5n }, ...days.slice(9, 10)], '2026-11-21')
  assert.deepEqual([gap.basis?.days, gap.spentThisMonth], [32, '1'])
  const { method, reason } = forecastCost('USD', [], '2026-11-21')
  assert.deepEqual([method, /7 days.*0/.test(reason)], ['none', true])
})
