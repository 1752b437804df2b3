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
          days: Array.from({ length: 30 }, (_, after) => ({
            day: new Date(Date.parse(today) + after * 86_400_000).toISOString().slice(0, 10),
            amount: '1',
            low: '1',
            high: '1',
          })),
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

  test(`${name}: two dimensions with the most expensive values, page by page`, { skip }, async (t) => {
    const { get, meter } = await serveCost(t, open)
    const price = (amount: string, currency: string) => ({ amount, currency, price: 'route@1' })
    const spend = (day: string, model: string, amount: string, currency = 'USD') =>
      meter({ at: `2026-11-${day}T01:00:00Z`, model, cost: price(amount, currency) })
    // The euros of m-2 are all euros, so it ranks before the dollars of m-3, which are added to no euros.
    await spend('18', 'm-1', '50')
    await spend('18', 'm-2', '1', 'EUR')
    await spend('18', 'm-3', '5')
    await spend('19', 'm-3', '5')
    await spend('19', 'm-4', '4')
    const path = '/cost/breakdown?groupBy=day,model&top=2&from=2026-11-18&to=2026-11-19'
    const shown = ({ items }: Page<Record<string, unknown>>) =>
      items.map(({ day, model, other, cost }) => [day, model, other, cost])
    const usd = (amount: string) => [{ amount, currency: 'USD' }]
    const expected = [
      ['2026-11-18', 'm-1', false, usd('50')],
      ['2026-11-18', 'm-2', false, [{ amount: '1', currency: 'EUR' }]],
      ['2026-11-18', undefined, true, usd('5')],
      ['2026-11-19', undefined, true, usd('9')],
    ]
    assert.deepEqual(shown(await get(path)), expected)
    assert.deepEqual((await pagesOf<Record<string, unknown>>(get, path)).flatMap(shown), expected)
    const all = await get<Page<Record<string, unknown>>>('/cost/breakdown?groupBy=tenant,day&from=2026-11-18')
    assert.deepEqual(
      all.items.map(({ tenant, day, calls }) => [tenant, day, calls]),
      [
        ['acme', '2026-11-18', 3],
        ['acme', '2026-11-19', 2],
      ],
    )
  })

  test(`${name}: the period before has the same length`, { skip }, async (t) => {
    const get = await serveDays(t, open, 5)
    const path = '/cost?from=2026-11-18&to=2026-11-19'
    const { previous, total } = await get<{ previous: object; total: object }>(`${path}&previous=true`)
    assert.partialDeepStrictEqual(previous, { from: '2026-11-16', to: '2026-11-17', calls: 2 })
    assert.partialDeepStrictEqual(total, { calls: 2, cost: [{ amount: '2', currency: 'USD' }] })
    assert.equal((await get<{ previous?: object }>(path)).previous, undefined)
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
