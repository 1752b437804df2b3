import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import {
  amountOf,
  daysAhead,
  daysBetween,
  groupName,
  periodDays,
  shareOf,
} from '../../plugins/cost/console/cost-days.ts'
import type { GroupRow } from '../../plugins/cost/console/cost-days.ts'
import { sumOfDays, toDayAmounts } from '../../plugins/cost/console/group-sums.ts'
import { toCumulative } from '../../ui/parts/figure/cumulative-points.ts'
import { needsChromium } from './browser-session.ts'
import { cannedCost, hostile } from './canned-cost.ts'
import { checkLooks, requestsOf } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test('a period is days of UTC, over the end of a month and of a year', () => {
  const now = Date.parse('2026-01-03T23:59:59Z')
  assert.deepEqual(periodDays('month', now), { from: '2026-01-01', to: '2026-01-03' })
  assert.deepEqual(periodDays('7d', now), { from: '2025-12-28', to: '2026-01-03' })
  assert.deepEqual(daysBetween('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01'])
  assert.deepEqual(daysBetween('2026-03-01', '2026-02-01'), [])
  const days = ['2026-11-24', '2026-11-25', '2026-11-30', '2026-12-01'].map((day) => ({
    day,
    amount: '1',
    low: '1',
    high: '1',
  }))
  assert.deepEqual(
    daysAhead({ days } as never, '2026-11-24').map(({ day }) => day),
    ['2026-11-25', '2026-11-30'],
  )
})

test('an unknown cost is not 0, and a share of nothing is none', () => {
  assert.equal(amountOf({ cost: null }, 'USD'), undefined)
  assert.equal(amountOf({ cost: [{ amount: '2', currency: 'EUR' }] }, 'USD'), '0')
  assert.equal(shareOf('1', '4'), 0.25)
  for (const [part, whole] of [
    ['1', '0'],
    ['1', undefined],
    [undefined, '1'],
  ] as const)
    assert.equal(shareOf(part, whole), undefined)
})

/** A group of a day. */
const row = (day: string, name: string | null | undefined, amount: string | null): GroupRow =>
  ({
    day,
    ...(name === undefined ? { other: true } : { other: false, agent: name === null ? null : { name, uid: name } }),
    calls: 2,
    inputTokens: 3,
    outputTokens: 4,
    cost: amount === null ? null : [{ amount, currency: 'USD' }],
  }) as GroupRow

const rows = [
  row('1', 'a', '0.1'),
  row('2', 'a', '0.2'),
  row('1', 'b', '5'),
  row('1', null, null),
  row('2', undefined, '9'),
]

test('days add up to groups: exact, the most expensive first, all others last', () => {
  assert.deepEqual(
    sumOfDays(rows, 'agent', 'USD').map(({ names, amount, calls, tokens }) => [names[0], amount, calls, tokens]),
    [
      ['b', '5', 2, 7],
      ['a', '0.3', 4, 14],
      [null, undefined, 2, 7],
      [undefined, '9', 2, 7],
    ],
  )
  assert.equal(
    groupName({ ...row('1', undefined, '1'), tenant: null }, 'tenant'),
    null,
    'no tenant is a group of its own',
  )
  const names = { dimension: 'agent', currency: 'USD', nameless: 'people', others: 'others' } as const
  assert.deepEqual(toDayAmounts(['1', '2', '3'], rows, names), [
    { day: '1', amounts: { a: '0.1', b: '5' }, isPartial: false },
    { day: '2', amounts: { a: '0.2', others: '9' }, isPartial: false },
    { day: '3', amounts: {}, isPartial: true },
  ])
})

test('sums are exact, and the cone opens from today to the interval of the end', () => {
  const days = ['0.1', '0.2', '0.3', '0.4'].map((amount, index) => ({
    day: String(index),
    amount,
    isForecast: index > 1,
  }))
  const { spent, forecast, cone, end } = toCumulative(days, 1, { low: '0.8', high: '1.2' })
  assert.equal(end, '1')
  const rounded = (points: readonly { x: number; y: number }[]) =>
    points.map(({ x, y }) => [Math.round(x), Math.round(y)])
  assert.deepEqual(rounded(spent), [
    [0, 90],
    [33, 70],
  ])
  assert.deepEqual(rounded(forecast), [
    [33, 70],
    [67, 40],
    [100, 0],
  ])
  assert.deepEqual(rounded(cone), [
    [33, 70],
    [67, 31],
    [100, -20],
    [100, 20],
    [67, 49],
    [33, 70],
  ])
  assert.deepEqual(toCumulative([], 1, undefined), { spent: [], forecast: [], cone: [], end: '0' })
  const flat = [
    { day: '1', amount: '0' },
    { day: '2', amount: '0', isForecast: true },
  ]
  assert.ok(toCumulative(flat, 1, { low: '0', high: '1' }).cone.every(({ y }) => Number.isFinite(y)))
})

test('the report in each look: no violation, nothing sideways, at most six requests', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, cannedCost())
  const last = 'tbody tr[data-index="5"]'
  const check = async (page: Page): Promise<void> => {
    const asked = await requestsOf(page)
    assert.ok(asked.length <= 6, asked.join(' '))
    assert.equal(await page.locator('main img:not([role])').count(), 0)
  }
  const paths = [
    ['/cost', last],
    ['/cost?view=cumulative', last],
  ] as const
  await checkLooks(browser, url, paths, { check })
})

test(
  'the groups are those of the address; one without a price is a dash; currencies are not added',
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const url = await serveConsole(t, await packed, cannedCost(['USD', 'EUR']))
    const { page } = await openLook(browser, `${url}/cost?group=nonsense&by=agent&period=1y`, wide)
    await page.waitForSelector('section[aria-label="EUR"] tbody tr[data-index="5"]')
    assert.equal(await page.locator('main h2:text-is("USD")').count(), 1)
    const critic = page.locator('section[aria-label="EUR"] tr:has-text("critic")')
    assert.match((await critic.textContent()) ?? '', /—/)
    assert.equal(
      await page.locator('section[aria-label="EUR"] tbody tr').last().locator('td').first().textContent(),
      'others',
    )
    assert.ok((await page.textContent('main'))?.includes('214 calls have no price'))
    assert.ok((await page.textContent('main'))?.includes(hostile))
    await page.goto(`${url}/cost?group=agent&by=model`)
    await page.waitForSelector('section[aria-label="USD"] th:text-is("Model")')
    await page.keyboard.press(']')
    await page.waitForURL(/cursor=more/)
  },
)

test('chargeback is saved under the days of the period', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, cannedCost())
  const { page } = await openLook(browser, `${url}/cost?period=7d`, wide)
  await page.click('button:has-text("Chargeback")')
  const [download, request] = await Promise.all([
    page.waitForEvent('download'),
    page.waitForRequest(/cost\/chargeback/),
    page.click('[role="menuitem"]:has-text("FOCUS")'),
  ])
  assert.match(download.suggestedFilename(), /^chargeback-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d-focus\.csv$/)
  assert.equal(new URL(request.url()).searchParams.get('format'), 'focus')
})

test('nothing spent, a denied report and a failed one', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const nothing = { calls: 0, unpricedCalls: 0, pendingCalls: 0, complete: true, cost: [] }
  const days = { from: '2026-11-01', to: '2026-11-24', days: [] }
  for (const [cost, words] of [
    [{ ...days, total: nothing, previous: nothing }, 'Nothing was spent in this time'],
    [403, 'You may not see this page'],
    [500, 'Try again'],
  ] as const) {
    const url = await serveConsole(t, await packed, { ...cannedShell, '/api/cost': cost })
    const { page } = await openLook(browser, `${url}/cost`, wide)
    await page.waitForSelector(`text=${words}`)
    assert.deepEqual(await axeViolations(page), [])
    await page.context().close()
  }
})
