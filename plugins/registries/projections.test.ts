import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { meteredEvent } from '#plugins/cost/testing/cost-store.ts'
import { runCreated } from '#plugins/runs/contract/events.ts'
import type { RegistriesTables } from './contract/tables.ts'
import { callsProjection } from './projections.ts'
import { bucketOf, percentileOf } from './store/buckets.ts'
import { removeOldCalls } from './store/prune-calls.ts'
import { readCalls } from './store/read-calls.ts'

const account = (name: string) => `system:serviceaccount:default:${name}`
const agent = { uid: 'a-1', id: 'AgentDeployment/default/one' }
const other = { uid: 'a-2', id: 'AgentDeployment/default/two' }
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

function startedBy(caller: string, parentRunId: string | null) {
  return {
    type: runCreated,
    subject: { namespace: 'default', kind: 'Run', name: 'r', namespaceUid: 'ns-1' },
    actor: { name: account(caller), kind: 'system' as const },
    data: {
      runId: '019a0000-0000-7000-8000-000000000001',
      agent: { namespace: 'default', name: 'two', uid: other.uid, revision: 1 },
      namespaceUid: 'ns-1',
      conversationId: 'c',
      rootRunId: '019a0000-0000-7000-8000-000000000001',
      parentRunId,
      trigger: { kind: 'delegate', by: account(caller) },
      traceId: '0'.repeat(32),
      labels: {},
    },
  }
}

test('a percentile is within 10 % of the duration at its place', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3_600_000 }), { minLength: 1, maxLength: 200 }), (durations) => {
      const counts: Record<string, number> = {}
      for (const ms of durations) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
      const sorted = durations.toSorted((a, b) => a - b)
      const exact = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
      const found = percentileOf(counts, 0.95) ?? 0
      assert.ok(Math.abs(found - exact) <= exact * 0.1 + 0.5, `${found} is not ${exact}`)
    }),
  )
  assert.equal(percentileOf({}, 0.95), null)
  assert.equal(percentileOf({ '-1': 5 }, 0.95), null)
  for (const ms of [0, -5, Number.MAX_SAFE_INTEGER]) assert.ok(bucketOf(ms) >= 0 && bucketOf(ms) <= 100)
})

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: calls of the last hour are counted by edge, and forgotten`, { skip }, async (t) => {
    const database = await open(t, [{ name: 'registries', migrations: new URL('./migrations/', import.meta.url) }])
    const store = createStore(database, { projections: [callsProjection] })
    let streams = 0
    const append = (events: readonly object[]) =>
      store.transact((tx) =>
        tx.appendEach(events.map((event) => ({ stream: `test/${(streams += 1)}`, event: event as never }))),
      )
    const call = (uid: string | null, some: object = {}) =>
      meteredEvent({ agentUid: uid, account: account('one'), at: ago(10), durationMs: 100, ...some })
    await append([
      call(agent.uid),
      call(agent.uid, { status: 502, durationMs: 900 }),
      call(agent.uid, { provider: 'default/spare' }),
      call(other.uid),
      call(null),
      call(agent.uid, { payer: { namespace: 'default', namespaceUid: null, agent: 'one' } }),
      call(agent.uid, { at: ago(24 * 60) }),
      startedBy('one', '019a0000-0000-7000-8000-000000000002'),
      startedBy('one', '019a0000-0000-7000-8000-000000000003'),
      startedBy('one', null),
    ])
    await append([call(agent.uid, { at: ago(90) }), call(agent.uid)])
    const read = async (agents: readonly (typeof agent)[]) =>
      Object.fromEntries(await readCalls(store.reader<RegistriesTables>(), agents))
    const shown = await read([agent, other])
    const counts = Object.fromEntries(
      Object.entries(shown).map(([edge, { count1h, failed1h }]) => [edge, [count1h, failed1h]]),
    )
    const route = 'ModelRoute/default/fast'
    assert.deepEqual(counts, {
      [`${agent.id} ${route}`]: [4, 1],
      [`${other.id} ${route}`]: [1, 0],
      [`${route} ModelProvider/default/up`]: [4, 1],
      [`${route} ModelProvider/default/spare`]: [1, 0],
      [`${agent.id} ${other.id}`]: [2, undefined],
    })
    const p95 = shown[`${agent.id} ${route}`]?.p95Ms ?? 0
    assert.ok(Math.abs(p95 - 900) <= 90, String(p95))
    assert.deepEqual(Object.keys(await read([])), [])
    assert.deepEqual(
      (await read([other]))[`${route} ModelProvider/default/up`]?.count1h,
      1,
      'a route shows calls of the given agents only',
    )

    const rows = async () => {
      const { rows: found } = await sql<{ all: unknown }>`
        select jsonb_agg(c order by c.*) as all from registries_calls c`.execute(database.root)
      return found[0]?.all
    }
    const before = await rows()
    await rebuild(database, callsProjection)
    assert.deepEqual(await rows(), before)
    await sql`update registries_calls set slot = slot - interval '3 hours' where agent_uid = 'a-1'`.execute(
      database.root,
    )
    const removed = await store.transact((tx) => removeOldCalls(tx, 100))
    assert.ok(removed > 0)
    assert.deepEqual(Object.keys(await read([agent])), [])
  })
