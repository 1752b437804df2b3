import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { costRoutes } from './routes.ts'
import { openCost } from './testing/cost-store.ts'

const today = '2026-11-20'

/** Serves the routes of cost on a store with this many days of one dollar each before today. */
async function serveDays(t: TestContext, open: (t: TestContext) => Promise<Database>, count: number) {
  const { store, meter } = await openCost(t, open)
  for (let before = 1; before <= count; before++) {
    const at = new Date(Date.parse(`${today}T12:00:00Z`) - before * 86_400_000).toISOString()
    await meter({ at, cost: { amount: '1', currency: 'USD', price: 'route@1' } })
  }
  const endpoints = costRoutes({
    store,
    install: 'test',
    observed: async () => undefined,
    settings: {},
    now: () => new Date(`${today}T08:00:00Z`),
    tenants: undefined,
  } as unknown as Parameters<typeof costRoutes>[0])
  const { app } = await buildServer(t, [{ endpoints }], { store })
  return async (path: string): Promise<unknown> => {
    const response = await app.inject({ url: `/api${path}`, headers: { authorization: 'Bearer good-token' } })
    assert.equal(response.statusCode, 200, response.body)
    return response.json()
  }
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
}
