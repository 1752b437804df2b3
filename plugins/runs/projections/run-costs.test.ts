import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { meteredEvent } from '#plugins/cost/testing/cost-store.ts'
import type { GivenCall } from '#plugins/cost/testing/cost-store.ts'
import { runDeleted, usageReported } from '../contract/events.ts'
import { runsProjection } from '../projections.ts'
import type { RunsTables } from '../contract/tables.ts'
import { createWorld, queueRunOf } from '../testing/world.ts'
import { runCostsProjection } from './run-costs.ts'
import { readCosts, readCostsOf } from '../store/read-costs.ts'

const usd = (amount: string) => ({ amount, currency: 'USD', price: 'route@1' })

async function openCosts(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const own = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
  const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, own])
  const world = createWorld(database)
  const store = createStore(database, { projections: [runsProjection, runCostsProjection] })
  let streams = 0
  const append = (...events: readonly object[]) =>
    store.transact((tx) =>
      tx.appendEach(events.map((event) => ({ stream: `test/${(streams += 1)}`, event: event as never }))),
    )
  const report = (runId: string, gateway: boolean, at = new Date()) => ({
    type: usageReported,
    subject: { namespace: 'default', kind: 'Run', name: runId },
    time: at,
    data: {
      runId,
      agentUid: 'uid-1',
      inputTokens: 1,
      outputTokens: 1,
      cachedTokens: 0,
      reasoningTokens: 0,
      ...(gateway ? { gateway } : {}),
    },
  })
  return {
    database,
    append,
    report,
    queue: (parent?: Awaited<ReturnType<typeof queueRunOf>>) =>
      queueRunOf(world, parent === undefined ? {} : { parent }),
    meter: (...calls: readonly GivenCall[]) => append(...calls.map(meteredEvent)),
    of: (run: { readonly id: string }) => readCostsOf(store.reader<RunsTables>(), run),
    ofAll: (runs: readonly { readonly id: string }[]) => readCosts(store.reader<RunsTables>(), runs),
    remove: ({ id }: { readonly id: string }) =>
      append({ type: runDeleted, subject: { kind: 'Run', name: id }, data: { runId: id, namespaceUid: 'ns-uid' } }),
    rows: async () => (await sql`select * from runs_costs order by run_id`.execute(database.root)).rows,
  }
}

for (const { name, skip, open } of pluginAdapters) {
  test(
    `R2-M4: ${name}: the cost of a run is that of its metered calls, and of a tree that of all its runs`,
    { skip },
    async (t) => {
      const costs = await openCosts(t, open)
      const root = await costs.queue()
      const child = await costs.queue(root)
      const grandchild = await costs.queue(child)
      const other = await costs.queue()
      await costs.meter(
        { runId: root.id, cost: usd('0.000001') },
        { runId: root.id, cost: usd('0.000002') },
        { runId: child.id, cost: usd('0.00001') },
        { runId: grandchild.id, cost: usd('9999999.000001') },
        { runId: null, cost: usd('5') },
      )
      await costs.meter({ runId: root.id, cost: null }, { runId: other.id, cost: usd('0') })
      const found = await costs.ofAll([root, child, other])
      assert.deepEqual(found.get(root.id), {
        cost: { amount: '0.000003', currency: 'USD' },
        treeCost: { amount: '9999999.000014', currency: 'USD' },
        unpricedCalls: 1,
        pendingCalls: 0,
      })
      assert.equal(found.get(child.id)?.treeCost?.amount, '9999999.000011')
      assert.deepEqual(found.get(other.id)?.cost, { amount: '0', currency: 'USD' }, 'a price of 0 is known')
      const before = await costs.rows()
      await rebuild(costs.database, runCostsProjection)
      assert.deepEqual(await costs.rows(), before, 'a rebuild gives the same rows')
      await costs.remove(child)
      assert.equal((await costs.rows()).length, before.length - 1, 'a removed run keeps no row')
      await costs.meter({ runId: '019a0000-0000-7000-8000-000000000001', cost: usd('1') })
      assert.equal((await costs.rows()).length, before.length - 1, 'nor has an unknown one')
    },
  )

  test(`R2-UX-9: ${name}: a call is pending until it is metered, and unpriced if it never is`, { skip }, async (t) => {
    const costs = await openCosts(t, open)
    const run = await costs.queue()
    const shown = async (of = run) => {
      const { cost, unpricedCalls, pendingCalls } = await costs.of(of)
      return [cost?.amount ?? null, unpricedCalls, pendingCalls]
    }
    assert.deepEqual(await shown(), [null, 0, 0])
    await costs.append(costs.report(run.id, true), costs.report(run.id, true))
    assert.deepEqual(await shown(), [null, 0, 2])
    await costs.meter({ runId: run.id, cost: usd('0.1') }, { runId: run.id, cost: null, status: 502 })
    assert.deepEqual(await shown(), ['0.1', 1, 1], 'a failed call is not the one that was reported')
    await costs.meter({ runId: run.id, cost: usd('0.1') })
    assert.deepEqual(await shown(), ['0.2', 1, 0])
    const lost = await costs.queue()
    await costs.append(costs.report(lost.id, true, new Date(Date.now() - 120_000)))
    assert.deepEqual(await shown(lost), [null, 1, 0], 'the event of its call was lost')
    const own = await costs.queue()
    await costs.append(costs.report(own.id, false))
    assert.deepEqual(await shown(own), [null, 1, 0], 'a call past the gateway is never metered')
  })

  test(`R2-M4: ${name}: calls in two currencies have no sum, in the run and in its tree`, { skip }, async (t) => {
    const costs = await openCosts(t, open)
    const root = await costs.queue()
    const child = await costs.queue(root)
    const eur = { amount: '1', currency: 'EUR', price: 'route@1' }
    await costs.meter({ runId: root.id, cost: usd('1') }, { runId: child.id, cost: eur })
    const { cost, treeCost } = await costs.of(root)
    assert.deepEqual([cost?.amount, treeCost], ['1', null])
    await costs.meter({ runId: child.id, cost: usd('1') })
    assert.equal((await costs.of(child)).cost, null)
  })
}
