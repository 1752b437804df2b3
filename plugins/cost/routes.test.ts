import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { parseLabel } from '#core/kube/names.ts'
import { costRoutes } from './routes.ts'
import { openCost } from './testing/cost-store.ts'

const today = '2026-11-20'

/** Serves the routes of cost on a store in which the namespace `default` belongs to the tenant `acme`. */
async function serveCost(t: TestContext, open: (t: TestContext) => Promise<Database>) {
  const { store, meter } = await openCost(t, open)
  const endpoints = costRoutes({
    store,
    install: 'test',
    observed: async () => undefined,
    settings: {},
    now: () => new Date(`${today}T08:00:00Z`),
    tenants: { tenantsOf: async () => new Map([['default', 'acme']]) },
  } as unknown as Parameters<typeof costRoutes>[0])
  const directory = createServedDirectory([parseLabel('namespace', 'default')])
  const { app } = await buildServer(t, [{ endpoints }], { store, directory })
  const get = async <T>(path: string): Promise<T> => {
    const response = await app.inject({ url: `/api${path}`, headers: { authorization: 'Bearer good-token' } })
    assert.equal(response.statusCode, 200, response.body)
    return response.json()
  }
  return { get, meter }
}

/** The same with this many days of one dollar each before today. */
async function serveDays(t: TestContext, open: (t: TestContext) => Promise<Database>, count: number) {
  const { get, meter } = await serveCost(t, open)
  for (let before = 1; before <= count; before++) {
    const at = new Date(Date.parse(`${today}T12:00:00Z`) - before * 86_400_000).toISOString()
    await meter({ at, cost: { amount: '1', currency: 'USD', price: 'route@1' } })
  }
  return get
}

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** The pages of one item each, in order. */
async function pagesOf<T>(get: (path: string) => Promise<Page<T>>, path: string): Promise<readonly Page<T>[]> {
  const pages = [await get(`${path}&limit=1`)]
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
    pages.push(await get(`${path}&limit=1&cursor=${encodeURIComponent(cursor)}`))
  return pages
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a forecast of steady days goes on with them`, { skip }, async (t) => {
    const get = await serveDays(t, open, 14)
    const reason = 'There are 14 days since the first cost.'
    const method = 'weighted-least-squares-with-weekdays'
    const estimate = (to: string, amount: string) => ({ from: today, to, amount, low: amount, high: amount })
    assert.deepEqual(await get('/cost/forecast?namespace=default'), {
      asOf: today,
      namespace: 'default',
      interval: 0.8,
      complete: true,
      method,
      reason,
      items: [
        {
          currency: 'USD',
          method,
          reason,
          basis: { from: '2026-11-06', to: '2026-11-19', days: 14 },
          spentThisMonth: '14',
          restOfMonth: estimate('2026-11-30', '11'),
          next30Days: estimate('2026-12-19', '30'),
        },
      ],
    })
  })

  test(`${name}: too few days give no estimate, and the reason`, { skip }, async (t) => {
    const get = await serveDays(t, open, 3)
    const { method, reason, items } = (await get('/cost/forecast')) as {
      method: string
      reason: string
      items: { spentThisMonth: string; restOfMonth: null; next30Days: null }[]
    }
    assert.equal(method, 'none')
    assert.match(reason, /needs \d+ days since the first cost; there are 3\.$/)
    assert.deepEqual(
      items.map(({ spentThisMonth, restOfMonth, next30Days }) => [spentThisMonth, restOfMonth, next30Days]),
      [['3', null, null]],
    )
  })

  test(`${name}: a breakdown names what its groups have in common, page by page`, { skip }, async (t) => {
    const get = await serveDays(t, open, 2)
    for (const group of [{ provider: 'default/up' }, { tenant: 'acme' }]) {
      const [groupBy = ''] = Object.keys(group)
      const { items } = await get<Page<object>>(`/cost/breakdown?groupBy=${groupBy}`)
      assert.partialDeepStrictEqual(items, [{ ...group, calls: 2, cost: [{ amount: '2', currency: 'USD' }] }])
    }
    const pages = await pagesOf<{ day: string; calls: number }>(get, '/cost/breakdown?groupBy=day')
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ day, calls }) => [day, calls])),
      [[['2026-11-18', 1]], [['2026-11-19', 1]]],
    )
  })

  test(`${name}: a statement has the tenant of each line, page by page`, { skip }, async (t) => {
    const { get, meter } = await serveCost(t, open)
    await meter({ at: `${today}T01:00:00Z`, model: 'm-1' }, { at: `${today}T01:00:00Z`, model: 'm-2' })
    const pages = await pagesOf<{ tenant: string; model: string }>(get, `/cost/chargeback?from=${today}&to=${today}`)
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ tenant, model }) => [tenant, model])),
      [[['acme', 'm-1']], [['acme', 'm-2']]],
    )
  })

  test(`${name}: a forecast of permitted namespaces says so`, { skip }, async (t) => {
    const get = await serveDays(t, open, 14)
    const { scope, namespace, items } = await get<{
      scope: string
      namespace: null
      items: { spentThisMonth: string }[]
    }>('/cost/forecast?scope=permitted')
    assert.deepEqual([scope, namespace, items[0]?.spentThisMonth], ['permitted', null, '14'])
  })
}
