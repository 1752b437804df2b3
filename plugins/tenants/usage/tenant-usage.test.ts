import assert from 'node:assert/strict'
import test from 'node:test'
import type { LiveUsage } from '#plugins/budgets/contract/api.ts'
import type { SpendWindow } from '#plugins/budgets/contract/points.ts'
import { toTenantUsage } from './tenant-usage.ts'

const now = new Date('2026-12-03T10:20:30Z')
const none: LiveUsage = { accounts: [], inFlight: 0, requestsLastMinute: 0 }
const spendOf = (window: SpendWindow, usage?: LiveUsage) =>
  toTenantUsage({ uid: 'u', name: 'acme', quota: { spend: { amount: '5', currency: 'EUR', window } } }, usage, now)
    .spend

test('a window without a charge has its start and its end', () => {
  const ends = (['hour', 'day', 'week', 'month', 'total'] as const).map((window) => {
    const { windowStart, resetsAt } = spendOf(window, none) ?? {}
    return [windowStart, resetsAt]
  })
  assert.deepEqual(ends, [
    ['2026-12-03T10:00:00.000Z', '2026-12-03T11:00:00.000Z'],
    ['2026-12-03T00:00:00.000Z', '2026-12-04T00:00:00.000Z'],
    ['2026-11-30T00:00:00.000Z', '2026-12-07T00:00:00.000Z'],
    ['2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    [null, null],
  ])
})

test('a charged window has that of the ledger, whose clock may differ', () => {
  const windowStart = new Date('2026-12-02T00:00:00Z')
  const accounts = [{ currency: 'EUR', window: 'day', windowStart, spent: 1_500_000n, held: 500_000n }]
  assert.deepEqual(spendOf('day', { ...none, accounts }), {
    currency: 'EUR',
    window: 'day',
    spent: '1.5',
    held: '0.5',
    limit: '5',
    remaining: '3',
    windowStart: '2026-12-02T00:00:00.000Z',
    resetsAt: '2026-12-03T00:00:00.000Z',
  })
})
