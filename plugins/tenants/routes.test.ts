import assert from 'node:assert/strict'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import type { BudgetsApi } from '#plugins/budgets/contract/api.ts'
import type { TenantsTables } from './contract/tables.ts'
import { usagePart } from './routes.ts'
import { createServices } from './services.ts'

interface Usage {
  readonly items: readonly { readonly name: string; readonly inflight: object }[]
  readonly nextCursor: string | null
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: the usage of tenants is read by name, page by page`, { skip }, async (t) => {
    const database = await open(t, [{ name: 'tenants', migrations: new URL('./migrations/', import.meta.url) }])
    const store = createStore(database, { projections: [] })
    await store.transact(async (tx) => {
      const rows = ['b', 'a'].map((of) => ({ uid: `uid-${of}`, name: of, quota: JSON.stringify({ concurrency: 2 }) }))
      await tx.tables<TenantsTables>().insertInto('tenants_quotas').values(rows).execute()
    })
    const usageOf: BudgetsApi['usageOf'] = async (_access, subjects) =>
      subjects.map(({ uid }) => ({ accounts: [], inFlight: uid === 'uid-a' ? 1 : 0, requestsLastMinute: 0 }))
    const core = { store, now: () => new Date('2026-12-03T10:20:30Z') }
    const part = usagePart(createServices(core as never, undefined, { budgets: { usageOf } as BudgetsApi }))
    const { app } = await buildServer(t, [part], { store })
    const read = async (query: string): Promise<Usage> => {
      const page = await app.inject({
        url: `/api/tenants/usage?limit=1${query}`,
        headers: { authorization: 'Bearer good-token' },
      })
      assert.equal(page.statusCode, 200, page.body)
      return page.json<Usage>()
    }
    const first = await read('')
    const rest = await read(`&cursor=${encodeURIComponent(first.nextCursor ?? '')}`)
    assert.deepEqual(
      [first, rest].map(({ items }) => items.map(({ name: of, inflight }) => [of, inflight])),
      [[['a', { used: 1, limit: 2 }]], [['b', { used: 0, limit: 2 }]]],
    )
    assert.equal(rest.nextCursor, null)
  })
}
