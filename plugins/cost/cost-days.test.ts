import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { createMetering } from '#plugins/providers/metering/metering.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { costProjection } from './projections/cost-days.ts'
import { toDaySums } from './projections/day-sums.ts'
import { addSums, toTotals } from './query/totals.ts'
import { removeOldCost } from './store/prune.ts'
import { meteredEvent, openCost } from './testing/cost-store.ts'
import type { GivenCall } from './testing/cost-store.ts'

const runId = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`
const pod = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

test('B4: sums of a group of calls do not depend on how it is divided', () => {
  const calls = fc.record({
    model: fc.constantFrom('a', 'b', '__proto__'),
    at: fc.constantFrom('2026-11-01T23:59:59.999Z', '2026-11-02T00:00:00Z'),
    inputTokens: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    cost: fc.option(
      fc.record({
        amount: fc.constantFrom('0.000001', '999999999999.999999', '0'),
        currency: fc.constantFrom('USD', 'EUR'),
        price: fc.constant('route@1'),
      }),
    ),
  })
  const events = (given: readonly GivenCall[]) => given.map((one) => meteredEvent(one) as never)
  fc.assert(
    fc.property(fc.array(calls, { maxLength: 12 }), fc.nat(12), (given, cut) => {
      const whole = toDaySums(events(given))
      const parts = [toDaySums(events(given.slice(0, cut))), toDaySums(events(given.slice(cut)))].flat()
      const total = (rows: typeof whole, name: 'calls' | 'unpriced' | 'input_tokens' | 'micros'): bigint =>
        rows.reduce((sum, row) => sum + BigInt(row[name]), 0n)
      for (const name of ['calls', 'unpriced', 'input_tokens', 'micros'] as const)
        assert.equal(total(whole, name), total(parts, name))
      assert.equal(total(whole, 'calls'), BigInt(given.length))
      const keys = whole.map(({ day, model, currency }) => [day, model, currency].join())
      assert.equal(new Set(keys).size, keys.length, 'one row per key')
      assert.deepEqual(
        toDaySums(events(given.toReversed())).map(({ day, model }) => [day, model]),
        whole.map(({ day, model }) => [day, model]),
        'in one order, whatever the order of the calls',
      )
    }),
    { numRuns: 100 },
  )
})

test('B4: an unknown price is null or makes a total incomplete, never 0', () => {
  const sums = { pending: '0', input: '1', output: '1', cached: '0', reasoning: '0' }
  const shown = (calls: string, unpriced: string, micros: Record<string, string>) => {
    const { cost, complete } = toTotals({ calls, unpriced, ...sums, micros })
    return { cost, complete }
  }
  assert.deepEqual(shown('2', '2', {}), { cost: null, complete: false })
  assert.deepEqual(shown('2', '1', { USD: '5' }), {
    cost: [{ amount: '0.000005', currency: 'USD' }],
    complete: false,
  })
  assert.deepEqual(shown('1', '0', { USD: '0' }), { cost: [{ amount: '0', currency: 'USD' }], complete: true })
  assert.deepEqual(shown('0', '0', {}), { cost: [], complete: true })
  const both = addSums([
    { calls: '9007199254740993', unpriced: '0', ...sums, micros: { USD: '1', EUR: '2' } },
    { calls: '1', unpriced: '1', ...sums, micros: { USD: '3' } },
  ])
  assert.deepEqual([both.calls, both.unpriced, both.micros], ['9007199254740994', '1', { USD: '4', EUR: '2' }])
})

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: calls metered by the gateway are sums by day, agent, model and price`, { skip }, async (t) => {
    const cost = await openCost(t, open)
    const metering = createMetering(
      { store: cost.store, log: silent, metrics: createMetrics(), now: () => new Date('2026-11-03T10:00:00Z') },
      { size: 500, everyMs: 3_600_000, held: 2_000, retryMs: { minMs: 1, maxMs: 2 }, closeMs: 60_000 },
    )
    for (let n = 0; n < 600; n++) {
      const { data } = meteredEvent(n % 3 === 0 ? { cost: null, inputTokens: 1 } : { model: 'm-2', inputTokens: 1 })
      metering.answered({ data, actor: { name: 'ann', kind: 'user' }, traceparent: '' })
    }
    await metering.close()
    const byModel = await cost.groups(['model'])
    assert.deepEqual(
      byModel.map(({ keys, calls, unpriced, input, micros }) => ({ keys, calls, unpriced, input, micros })),
      [
        { keys: ['m-1'], calls: '200', unpriced: '200', input: '200', micros: {} },
        { keys: ['m-2'], calls: '400', unpriced: '0', input: '400', micros: { USD: '400' } },
      ],
    )
    await cost.meter(
      { at: '2026-11-03T23:59:59.999Z', cost: { amount: '2', currency: 'EUR', price: 'route@2' } },
      { at: '2026-11-04T00:00:00Z' },
      { at: '2026-12-01T00:00:00Z' },
      { at: '2026-10-31T23:59:59Z' },
    )
    const byDay = await cost.groups(['day'])
    assert.deepEqual(
      byDay.map(({ keys, calls, micros }) => [keys, calls, micros]),
      [
        [['2026-11-03'], '601', { USD: '400', EUR: '2000000' }],
        [['2026-11-04'], '1', { USD: '1' }],
      ],
    )
    const before = await cost.rows()
    await rebuild(cost.database, costProjection)
    assert.deepEqual(await cost.rows(), before, 'a rebuild, which applies one event at a time, gives the same rows')
  })

  test(`${name}: embeddings of roles cost their payer, and hide no report of a run`, { skip }, async (t) => {
    const cost = await openCost(t, open)
    const common = { route: { namespace: 'default', name: 'embed', uid: 'route-2' }, operation: 'embeddings' } as const
    await cost.meter(
      {
        ...common,
        agentUid: 'a-1',
        runId: runId(1),
        account: pod('mesh-system', 'mesh-state'),
        payer: { namespace: 'team', namespaceUid: null, agent: 'writer' },
      },
      {
        ...common,
        account: pod('mesh-system', 'mesh-worker'),
        payer: { namespace: 'team', namespaceUid: 'ns-2', agent: null },
      },
    )
    await cost.report(runId(1), 100)
    const { rows } = await sql`
      select namespace, namespace_uid, agent_uid, agent, calls::text as calls from cost_days order by agent`.execute(
      cost.database.root,
    )
    assert.deepEqual(rows, [
      { namespace: 'team', namespace_uid: 'ns-2', agent_uid: '', agent: '', calls: '1' },
      { namespace: 'team', namespace_uid: '', agent_uid: 'a-1', agent: 'writer', calls: '1' },
    ])
    const reported = (await cost.groups(['operation'])).map(({ keys, input }) => [keys, input])
    assert.deepEqual(reported, [
      [['embeddings'], '20'],
      [['reported'], '100'],
    ])
    const before = await cost.rows()
    await rebuild(cost.database, costProjection)
    assert.deepEqual(await cost.rows(), before)
  })

  test(`R2-N4: ${name}: calls of persons have who called, beside calls of agents`, { skip }, async (t) => {
    const cost = await openCost(t, open)
    const agent = { account: pod('default', 'one'), agentUid: 'a-1', runId: runId(1) }
    await cost.meter({}, {}, { account: `o'neil";--` }, agent, { cost: null })
    // As a process of before writes a call of a person.
    await sql`insert into cost_days select day, namespace, namespace_uid, '', '', provider, model, operation, currency, price,
      calls, unpriced, input_tokens, output_tokens, cached_tokens, reasoning_tokens, micros from cost_persons
      where subject <> 'ann'`.execute(cost.database.root)
    const bySubject = async (namespace = '') =>
      (await cost.groups(['subject', 'agent_uid'], namespace)).map(({ keys, calls, unpriced, micros }) => [
        ...keys,
        calls,
        unpriced,
        micros['USD'],
      ])
    const expected = [
      ['', '', '1', '0', '1'],
      ['', 'a-1', '1', '0', '1'],
      ['ann', '', '3', '1', '2'],
      [`o'neil";--`, '', '1', '0', '1'],
    ]
    assert.deepEqual(await bySubject(), expected)
    assert.deepEqual(await bySubject('default'), expected)
    await rebuild(cost.database, costProjection)
    assert.deepEqual(await bySubject(), expected.slice(1), 'a rebuild names the callers of before')
    await cost.gone('ns-1')
    await cost.observe('ns-2', 'default', '2')
    assert.deepEqual(await bySubject('default'), [], 'SEC17: a successor inherits nothing')
    await sql`update cost_persons set day = day - 100`.execute(cost.database.root)
    await cost.store.transact((tx) => removeOldCost(tx, { retentionDays: 60, limit: 10 }))
    const { rows } = await sql`select from cost_persons`.execute(cost.database.root)
    assert.equal(rows.length, 0)
  })

  test(
    `${name}: what a run reports counts unless its calls were metered, in either order and at once`,
    { skip },
    async (t) => {
      const cost = await openCost(t, open)
      const metered = (id: string) => cost.meter({ runId: id, agentUid: 'a-1', account: pod('default', 'one') })
      await metered(runId(1))
      await cost.report(runId(1), 100)
      await cost.report(runId(2), 100)
      await cost.report(runId(2), 100)
      await metered(runId(2))
      await cost.report(runId(2), 100)
      await cost.report(runId(3), 7)
      await cost.report(runId(3), 8, '2026-11-05T00:00:00Z')
      await Promise.all([4, 5, 6, 7].flatMap((n) => [cost.report(runId(n), 100), metered(runId(n))]))
      const found = await cost.groups(['operation'])
      assert.deepEqual(
        found.map(({ keys, calls, unpriced, input }) => [keys, calls, unpriced, input]),
        [
          [['chat/completions'], '6', '0', '60'],
          [['reported'], '2', '2', '15'],
        ],
      )
      assert.deepEqual(await cost.metered(), { runs: '6', sums: '0' }, 'marks keep no sums')
      const before = await cost.rows()
      await rebuild(cost.database, costProjection)
      assert.deepEqual(await cost.rows(), before)
    },
  )

  test(`R2-UX-9: ${name}: a reported call of the gateway is pending, and then metered`, { skip }, async (t) => {
    const cost = await openCost(t, open)
    const today = new Date().toISOString()
    const shown = async () =>
      (
        await cost.groups(['operation'], 'default', { period: { from: today.slice(0, 10), to: today.slice(0, 10) } })
      ).map(({ keys: [operation], ...sums }) => {
        const { calls, unpricedCalls, pendingCalls, complete } = toTotals(sums)
        return [operation, calls, unpricedCalls, pendingCalls, complete]
      })
    const report = (n: number, gateway: boolean, at = today) => cost.report(runId(n), 1, at, gateway)
    await report(1, true)
    await report(1, true)
    await report(2, false)
    assert.deepEqual(await shown(), [['reported', 3, 1, 2, false]])
    const metered = { runId: runId(1), agentUid: 'a-1', account: pod('default', 'one'), at: today }
    await cost.meter(metered)
    assert.deepEqual(await shown(), [
      ['chat/completions', 1, 0, 0, true],
      ['reported', 2, 1, 1, false],
    ])
    await cost.meter(metered)
    assert.deepEqual(await shown(), [
      ['chat/completions', 2, 0, 0, true],
      ['reported', 1, 1, 0, false],
    ])
    await report(3, true, new Date(Date.now() - 61_000).toISOString())
    assert.deepEqual((await shown()).at(-1)?.slice(2, 4), [2, 0], 'its event was lost')
    const before = await cost.rows()
    await rebuild(cost.database, costProjection)
    assert.deepEqual(await cost.rows(), before)
  })

  test(`${name}: the namespace of the agent pays, and its successor inherits nothing (SEC17)`, { skip }, async (t) => {
    const cost = await openCost(t, open)
    await cost.observe('ns-2', 'team')
    const shared = { account: pod('team', 'one'), agentUid: 'a-1' }
    // Before the manager has observed the agent: its namespace is known, the uid of that is not.
    await cost.meter(shared, {})
    const of = async (namespace: string) =>
      (await cost.groups(['namespace', 'agent'], namespace)).map(({ keys, calls }) => [...keys, calls])
    assert.deepEqual(await of(''), [
      ['default', '', '1'],
      ['team', 'one', '1'],
    ])
    assert.deepEqual(await of('team'), [['team', 'one', '1']])
    await cost.label('a-1', { tier: 'gold', empty: '' }, 'team', 'ns-2')
    assert.deepEqual(await of('team'), [['team', 'agent-a-1', '1']])
    assert.deepEqual(await of('default'), [['default', '', '1']])
    const byLabel = async (label: string) => (await cost.groups([{ label }])).map(({ keys, calls }) => [...keys, calls])
    assert.deepEqual(await byLabel('tier'), [
      ['', '1'],
      ['=gold', '1'],
    ])
    assert.deepEqual(await byLabel('empty'), [
      ['', '1'],
      ['=', '1'],
    ])
    assert.deepEqual(await byLabel(`'; drop table cost_days --`), [['', '2']])
    await cost.gone('ns-2')
    await cost.observe('ns-3', 'team', '2')
    assert.deepEqual(await of('team'), [])
    assert.deepEqual((await of('')).length, 2, 'the cluster keeps what was spent')
  })

  test(`${name}: groups come in pages, and retention removes old days and marks`, { skip }, async (t) => {
    const cost = await openCost(t, open)
    await cost.meter(...['a', 'B', 'c', 'ä'].map((model) => ({ model })))
    const first = await cost.groups(['model', 'provider'], 'default', { limit: 2 })
    assert.deepEqual(
      first.map(({ keys }) => keys[0]),
      ['B', 'a'],
    )
    const rest = await cost.groups(['model', 'provider'], 'default', { limit: 9, after: first[1]?.keys })
    assert.deepEqual(
      rest.map(({ keys }) => keys[0]),
      ['c', 'ä'],
    )
    const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
    const agent = { account: pod('default', 'one'), agentUid: 'a-1' }
    await cost.meter(
      { ...agent, at: daysAgo(100), model: 'old', runId: runId(1) },
      { ...agent, at: daysAgo(98), model: 'kept', runId: runId(2) },
    )
    await cost.report(runId(3), 5, daysAgo(98))
    const period = { from: daysAgo(120).slice(0, 10), to: daysAgo(90).slice(0, 10) }
    const remove = () => cost.store.transact((tx) => removeOldCost(tx, { retentionDays: 99, limit: 10 }))
    assert.deepEqual([await remove(), await remove()], [2, 0])
    const left = await cost.groups(['model'], 'default', { period })
    assert.deepEqual(
      left.map(({ keys }) => keys[0]),
      ['', 'kept'],
    )
  })
}
