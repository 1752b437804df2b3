import assert from 'node:assert/strict'
import test from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import {
  attentionOf,
  noteQuiet,
  seesNothing,
  unnamedOf,
  urgentFirst,
} from '../../plugins/overview/console/attention.ts'
import { budgetRows } from '../../plugins/overview/console/budget-rows.ts'
import { successShare, spendFoot } from '../../plugins/overview/console/spend-foot.ts'
import { toHomeRange, windowOf } from '../../plugins/overview/console/window.ts'
import { isReachable } from '#ui/contract/is-reachable.ts'
import { needsChromium } from './browser-session.ts'
import { badDay, cannedHome, cannedUsages, quietDay } from './canned-home.ts'
import { checkLooks, requestsOf } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { openLook, startBrowser } from './look.ts'

test('failures come first, then decisions, then what is not ready; each leads to the page that answers', () => {
  const rows = attentionOf(badDay)
  assert.deepEqual(
    rows.map(({ title, to }) => `${title}: ${to}`),
    [
      'refund-agent fails 55 % of its runs: /runs?namespace=support&agent=refund-agent&state=failed%2Ctimed_out%2Crejected',
      '5 runs wait for a decision: /approvals',
      '<img src=x onerror=alert(1)> is not ready: /agents/finance/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
      'The newest version of triage is held back: /agents/support/triage?tab=versions',
      'The newest version of writer does not start: /agents/support/writer?tab=versions',
      '1 MCP server offers other tools than before: /mcpapprovals',
    ],
  )
  assert.equal(unnamedOf(badDay), 3)
})

test('an agent with a missing reference names its kind and its name', () => {
  const rowOf = (reason: string, ready: boolean, target: string | null = 'demo/m') => {
    const [namespace = '', name = ''] = target?.split('/') ?? []
    const reference = target === null ? null : { kind: 'ModelRoute', namespace, name }
    const one = { namespace: 'demo', name: 'a', condition: 'Degraded', reason, ready, since: null, reference }
    const [row] = attentionOf({ ...quietDay, unwell: { agents: { count: 1, items: [one] }, failing: null } })
    return `${row?.title}. ${row?.why} ${row?.to}`
  }
  assert.equal(
    rowOf('NotFound', true),
    'a refers to ModelRoute m, which does not exist. An earlier version serves. /agents/demo/a',
  )
  assert.match(
    rowOf('NotAllowed', false, 'shared/m'),
    /^a refers to ModelRoute shared\/m, which its namespace may not use. No version serves/,
  )
  // Of an agent whose status an earlier version wrote.
  assert.match(rowOf('NotFound', true, null), /^a refers to an object, which does not exist/)
  for (const other of ['OOMKilled', 'toString', '__proto__'])
    assert.match(rowOf(other, true), /^The newest version of a does not start/)
})

test('a budget needs a person from four fifths on, the fullest first', () => {
  assert.deepEqual(
    budgetRows(cannedUsages).map(({ title, why, tone }) => [title, why, tone]),
    [
      ['over has spent its budget', '$100.10 of $100.00. Its model calls are refused.', 'bad'],
      ['near <b> has spent 80 % of its budget', '$80.00 of $100.00 this month.', 'warn'],
    ],
  )
  const all = urgentFirst([...attentionOf(badDay), ...budgetRows(cannedUsages)])
  assert.deepEqual(
    all.slice(0, 3).map(({ id }) => id),
    ['failing support/refund-agent', 'budget over', 'waiting'],
  )
  const spend = { ...cannedUsages[0]?.spend, limit: '0.00' }
  assert.deepEqual(budgetRows([{ ...cannedUsages[0], spend }] as typeof cannedUsages), [])
})

test('an address leads to a page only if the caller may use it', () => {
  const page = (id: string, more: object = {}) => ({
    id,
    title: id,
    section: '',
    path: `/${id}`,
    capability: id,
    ...more,
  })
  const known = {
    pages: [page('runs'), page('cost'), page('tab', { tabOf: 'run' })],
    capabilities: [
      { id: 'runs', enabled: true },
      { id: 'tab', enabled: true },
      { id: 'cost', enabled: false },
    ],
  } as Parameters<typeof isReachable>[1]
  const addresses = ['/runs', '/runs?state=failed', '/runs/a', '/cost', '/tab', '/runsx', '/mcpservers', '']
  assert.deepEqual(
    addresses.filter((to) => isReachable(to, known)),
    ['/runs', '/runs?state=failed', '/runs/a'],
  )
})

test('what the caller may not list is no row, and differs from a quiet day', () => {
  assert.deepEqual(attentionOf(quietDay), [])
  assert.equal(seesNothing(quietDay), false)
  const none = {
    waiting: { runs: null, manifests: null },
    unwell: { agents: null, failing: null },
    spend: null,
    forecast: null,
  }
  assert.deepEqual(attentionOf(none), [])
  assert.equal(seesNothing(none), true)
})

test('it is quiet since the first look that saw nothing', () => {
  assert.deepEqual(
    [noteQuiet(true, 10), noteQuiet(true, 20), noteQuiet(false, 30), noteQuiet(true, 40), noteQuiet(true, 50)],
    [10, 10, 30, 40, 40],
  )
})

test('an unknown spend says why, and a forecast is what is spent and the rest of the month', () => {
  assert.equal(spendFoot(badDay), 'Forecast $6,204.00')
  assert.equal(spendFoot({ ...badDay, spend: null }), 'You may not list this')
  assert.equal(spendFoot({ ...badDay, forecast: null }), 'No forecast yet')
  const { spend } = badDay
  assert.equal(spendFoot({ ...badDay, spend: spend && { ...spend, unpricedCalls: 1 } }), '1 call without a price')
  assert.equal(successShare({ succeeded: 0, failed: 0 }), null)
  assert.equal(successShare({ succeeded: 3, failed: 1 }), 0.75)
})

test('a range has the same start for an hour; anything else is the last day', () => {
  const noon = Date.UTC(2026, 10, 24, 12)
  assert.deepEqual(windowOf('7d', noon + 1), windowOf('7d', noon + 3_599_999))
  assert.deepEqual(windowOf('24h', noon), { bins: 24 })
  for (const other of [undefined, '', '__proto__', '24h', '9'.repeat(1_000)]) assert.equal(toHomeRange(other), '24h')
})

test('Home: no axe violation, no console error, no sideways scroll, at most six requests', needsChromium, async (t) => {
  const files = await consoleFiles()
  const browser = await startBrowser(t)
  const bad = await serveConsole(t, files, cannedHome(badDay))
  await lookAt(browser, bad, /over has spent its budget/)
  const quiet = await serveConsole(t, files, cannedHome(quietDay))
  await lookAt(browser, quiet, /All quiet since \d\d:\d\d UTC/)
})

async function lookAt(browser: Browser, url: string, words: RegExp): Promise<void> {
  const shown = async (page: Page): Promise<void> => {
    await page.getByText(words).first().waitFor()
    await page.getByText('First steps').waitFor()
  }
  const check = async (page: Page): Promise<void> => {
    // There is no page of tool approvals here: the row has no link.
    assert.equal(await page.locator('a[href^="/mcp"]').count(), 0)
    const asked = await requestsOf(page)
    assert.ok(asked.length <= 6, asked.join(' '))
  }
  await checkLooks(browser, url, [['/', shown]], { check })
}

test('each card of Home fails alone, and says why', needsChromium, async (t) => {
  const files = await consoleFiles()
  const url = await serveConsole(t, files, { ...cannedHome(badDay), '/api/summary': 403, '/api/runs/stats': 501 })
  const browser = await startBrowser(t)
  const { page } = await openLook(browser, `${url}/#code=once`, { scheme: 'light', width: 'wide' })
  const cards = page.locator('section')
  await cards.filter({ hasText: 'Needs attention' }).getByText('You may not see this page').waitFor()
  await cards.filter({ hasText: 'Busiest agents' }).getByText('not configured').waitFor()
  await cards.filter({ hasText: 'Recent runs' }).getByText('Order 48213').waitFor()
})
