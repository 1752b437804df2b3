import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { newHold, moneyLimit, openLedger, subjectOf } from '../testing/ledger.ts'
import type { CallLimit } from '../contract/points.ts'

const settled = (id: string, charge: bigint | undefined, holder = 'holder-1') =>
  ({ id, holder, state: 'settled', charge, outcome: 'succeeded', estimated: false }) as const

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: B1: concurrent holds never exceed the limit, and each that fits is made`, { skip }, async (t) => {
    const { ledger, accounts } = await openLedger(t, open)
    const results = await Promise.all(Array.from({ length: 300 }, () => ledger.reserve(newHold({ amount: 10n }))))
    assert.equal(results.filter(({ kind }) => kind === 'held').length, 100)
    assert.deepEqual((await accounts())['AgentDeployment/1'], { spent: 0n, held: 1_000n, overrun: 0n })
  })

  test(`${name}: a hold needs room in each of its limits, and names the first that lacks it`, { skip }, async (t) => {
    const { ledger, accounts } = await openLedger(t, open)
    const limits = [moneyLimit('1', 1_000n), moneyLimit('1', 150n, 'Tenant')]
    const first = await ledger.reserve(newHold({ limits }))
    assert.ok(first.kind === 'held')
    assert.equal(first.remaining, 50n)
    const second = await ledger.reserve(newHold({ limits }))
    assert.ok(second.kind === 'spend')
    assert.deepEqual([second.limit.subject.kind, second.first], ['Tenant', true])
    const third = await ledger.reserve(newHold({ limits }))
    assert.ok(third.kind === 'spend' && !third.first, 'reported once in the window')
    assert.equal((await accounts())['AgentDeployment/1']?.held, 100n, 'a refused hold takes nothing of the other limit')
  })

  test(`${name}: settle and release are idempotent, and the first end counts`, { skip }, async (t) => {
    const { ledger, accounts } = await openLedger(t, open)
    const [one, two] = [newHold(), newHold()]
    await Promise.all([ledger.reserve(one), ledger.reserve(two)])
    const first = await ledger.end(settled(one.id, 30n))
    assert.deepEqual([first?.state, first?.charged, first?.remaining], ['settled', 30n, 870n])
    const again = await Promise.all([
      ledger.end(settled(one.id, 99n)),
      ledger.end({ ...settled(one.id, 0n), state: 'released' }),
    ])
    assert.deepEqual(
      again.map((end) => [end?.state, end?.charged]),
      [
        ['settled', 30n],
        ['settled', 30n],
      ],
    )
    await ledger.end({ ...settled(two.id, 0n), state: 'released' })
    assert.equal((await ledger.end(settled(two.id, 50n)))?.charged, 0n, 'a settle after a release charges nothing')
    assert.deepEqual((await accounts())['AgentDeployment/1'], { spent: 30n, held: 0n, overrun: 0n })
  })

  test(
    `${name}: a hold is charged as reserved without usage, and beyond it if the call cost more`,
    { skip },
    async (t) => {
      const { ledger, accounts } = await openLedger(t, open)
      const [one, two] = [newHold(), newHold()]
      await Promise.all([ledger.reserve(one), ledger.reserve(two)])
      await ledger.end(settled(one.id, undefined))
      await ledger.end(settled(two.id, 1_500n))
      assert.deepEqual((await accounts())['AgentDeployment/1'], { spent: 1_600n, held: 0n, overrun: 1_400n })
      assert.equal((await ledger.reserve(newHold({ amount: 1n }))).kind, 'spend')
    },
  )

  test(`${name}: B2: a hold without a settle is charged at the hold after its lease, once`, { skip }, async (t) => {
    const { ledger, accounts } = await openLedger(t, open)
    const [lost, alive] = [newHold({ leaseSeconds: 0 }), newHold()]
    await Promise.all([ledger.reserve(lost), ledger.reserve(alive)])
    const counts = await Promise.all([ledger.expire(100), ledger.expire(100), ledger.expire(100)])
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      1,
    )
    assert.deepEqual((await accounts())['AgentDeployment/1'], { spent: 100n, held: 100n, overrun: 0n })
    assert.deepEqual(
      [(await ledger.end(settled(lost.id, 1n)))?.state, (await accounts())['AgentDeployment/1']?.spent],
      ['expired', 100n],
    )
    assert.deepEqual(await ledger.renew([lost.id], 'holder-1'), [], 'an ended lease is not extended')
    assert.deepEqual(
      (await ledger.renew([lost.id, alive.id], 'holder-1')).map(({ id }) => id),
      [alive.id],
    )
  })

  test(`${name}: a repeated request returns its hold, and a hold of another holder is unknown`, { skip }, async (t) => {
    const { ledger, accounts, store } = await openLedger(t, open)
    const hold = newHold()
    const repeats = await Promise.all(Array.from({ length: 20 }, () => ledger.reserve({ ...hold, id: randomUUID() })))
    assert.equal(new Set(repeats.map((made) => (made.kind === 'held' ? made.id : made.kind))).size, 1)
    const id = repeats[0]?.kind === 'held' ? repeats[0].id : ''
    assert.equal(await ledger.end(settled(id, 0n, 'holder-2')), undefined)
    assert.deepEqual(await ledger.renew([id], 'holder-2'), [])
    assert.equal((await ledger.pricesOf('holder-2', [id])).size, 0)
    const [other, dearer] = [newHold({ prices: ['b'] }), { ...hold, id: randomUUID(), prices: ['dearer'] }]
    await Promise.all([ledger.reserve(other), ledger.reserve(dearer)])
    const pricesOf = async (from: Ledger) =>
      Object.fromEntries([...(await from.pricesOf('holder-1', [other.id, id]))].map(([key, one]) => [key, one.prices]))
    assert.deepEqual(await pricesOf(ledger), { [other.id]: ['b'], [id]: [] }, 'those of the first request')
    const replica = createLedger(store, { leaseSeconds: 60, retentionDays: 30 })
    assert.deepEqual(await pricesOf(replica), { [other.id]: ['b'], [id]: [] }, 'of a hold that another replica made')
    await ledger.end({ ...settled(other.id, 0n), state: 'released' })
    assert.deepEqual((await accounts())['AgentDeployment/1'], { spent: 0n, held: 100n, overrun: 0n })
  })

  test(`${name}: B6: places of calls in flight are freed once, however the call ends`, { skip }, async (t) => {
    const { ledger } = await openLedger(t, open)
    const limits: CallLimit[] = [{ subject: subjectOf('Tenant', '1'), concurrency: 3 }]
    const calls = [newHold({ limits }), newHold({ limits }), newHold({ limits, leaseSeconds: 0 })]
    await Promise.all(calls.map((call) => ledger.reserve(call)))
    const inFlight = async () => (await ledger.usageOf(['Tenant/1'])).get('Tenant/1')?.inFlight
    assert.equal((await ledger.reserve(newHold({ limits }))).kind, 'concurrency')
    const [one, two] = calls
    await Promise.all([one, one, two].map((call) => ledger.end(settled(call?.id ?? '', 1n))))
    await ledger.end({ ...settled(one?.id ?? '', 0n), state: 'released' })
    assert.equal(await inFlight(), 1)
    await Promise.all([ledger.expire(10), ledger.expire(10)])
    assert.equal(await inFlight(), 0)
    assert.equal((await ledger.reserve(newHold({ limits }))).kind, 'held')
  })

  test(`${name}: B6: calls of the last minute are limited by the clock of the store`, { skip }, async (t) => {
    const { ledger, database } = await openLedger(t, open)
    const limits: CallLimit[] = [{ subject: subjectOf('Tenant', '1'), requestsPerMinute: 20 }]
    const results = await Promise.all(Array.from({ length: 30 }, () => ledger.reserve(newHold({ limits }))))
    assert.equal(results.filter(({ kind }) => kind === 'held').length, 20)
    const refused = results.find(({ kind }) => kind === 'rate')
    assert.ok(refused?.kind === 'rate')
    assert.ok(refused.retryAfterSeconds >= 1 && refused.retryAfterSeconds <= 120, String(refused.retryAfterSeconds))
    // As after two minutes.
    await sql`update budgets_rates set minute = minute - interval '2 minutes'`.execute(database.root)
    assert.equal((await ledger.reserve(newHold({ limits }))).kind, 'held')
  })

  test(`${name}: money of an earlier window does not count`, { skip }, async (t) => {
    const { ledger, database } = await openLedger(t, open)
    const limits: CallLimit[] = [
      { subject: subjectOf('AgentDeployment', '1'), spend: { amount: 100n, currency: 'USD', window: 'day' } },
    ]
    const before = newHold({ limits })
    await ledger.reserve(before)
    assert.equal((await ledger.reserve(newHold({ limits }))).kind, 'spend')
    await sql`update budgets_accounts set window_start = window_start - interval '1 day'`.execute(database.root)
    assert.equal((await ledger.reserve(newHold({ limits }))).kind, 'held')
    await ledger.end(settled(before.id, 40n))
    const { rows } = await sql<{ spent: bigint; held: bigint }>`
      select spent, held from budgets_accounts order by window_start`.execute(database.root)
    assert.deepEqual(
      rows,
      [
        { spent: 40n, held: 0n },
        { spent: 0n, held: 100n },
      ],
      'charged to the window of its hold',
    )
  })
}
