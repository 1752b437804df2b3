import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { countOf } from '#test/harness/counts.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { rangeEnd, toOptions, toQuery } from '../../plugins/audit/console/audit-rows.ts'
import { needsChromium } from './browser-session.ts'
import { auditShell, endlessLog, exportLine } from './canned-audit.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test('a query has the filters of the address only, and the range of an hour is the same for minutes', () => {
  const search = { namespace: 'a', actor: 'ada', item: 'x', cursor: 'y', from: '7d', admin: 'true' }
  const query = toQuery(search, { from: '2026-11-20T00:00:00Z' })
  assert.deepEqual(JSON.parse(JSON.stringify(query)), { namespace: 'a', actor: 'ada', from: '2026-11-20T00:00:00Z' })
  assert.equal(toQuery({}, {})['scope'], 'permitted')
  const now = Date.parse('2026-11-24T14:07:31Z')
  assert.equal(new Date(rangeEnd('7d', now)).toISOString(), '2026-11-24T14:00:00.000Z')
  assert.equal(new Date(rangeEnd('1h', now)).toISOString(), '2026-11-24T14:05:00.000Z')
  assert.deepEqual(
    toOptions(['b'], ['a', '', 'b'], 'c').map(({ value }) => value),
    ['a', 'b', 'c'],
  )
})

test('the log and an entry in each look: no violation, nothing sideways, text as text', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, endlessLog().api)
  const check = async (page: Page): Promise<void> => assert.equal(await page.locator('main img').count(), 0)
  const paths = [
    ['/audit?item=row-1', 'main aside h2'],
    ['/audit', 'tbody tr[data-index="49"]'],
    ['/audit?item=none', 'main aside h2'],
  ] as const
  await checkLooks(browser, url, paths, { check })
})

test(
  'arrows move the docked entry, Esc and Back close it, and a filter starts at the newest row',
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const { api, asked } = endlessLog()
    const url = await serveConsole(t, await packed, api)
    const { page } = await openLook(browser, `${url}/audit`, wide)
    await page.click('tbody tr:nth-child(2)')
    await page.waitForSelector('text=The cluster denied this')
    assert.ok((await page.textContent('main aside'))?.includes('The actor is a guess'))
    await page.focus('tbody tr:nth-child(2)')
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(/item=row-2$/)
    await page.goBack()
    await page.waitForURL(/\/audit$/)
    await page.click('tbody tr:nth-child(1)')
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/audit$/)

    await page.keyboard.press(']')
    await page.waitForURL(/cursor=50/)
    await page.click('button[role="radio"]:has-text("Denied")')
    await page.waitForURL(/\?outcome=denied$/)
    const last = asked.at(-1)
    assert.deepEqual([last?.get('outcome'), last?.get('cursor'), last?.get('scope')], ['denied', null, 'permitted'])
    assert.match(last?.get('from') ?? '', /^\d{4}-.*Z$/)
    await page.fill('input[type="search"]', 'none')
    await page.waitForSelector('text=Nothing matches')
    await page.goto(`${url}/audit?from=nonsense&to=x&namespace=a%00b`)
    await page.waitForSelector('tbody tr[data-index="1"]')
  },
)

test('an export is saved whole under its name, with the filter', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, endlessLog().api)
  const { page } = await openLook(browser, `${url}/audit?outcome=denied`, wide)
  await page.click('button:has-text("Export")')
  const [download, request] = await Promise.all([
    page.waitForEvent('download'),
    page.waitForRequest(/audit\/export/),
    page.click('[role="menuitem"]:has-text("CSV")'),
  ])
  assert.equal(download.suggestedFilename(), 'audit.csv')
  assert.equal(readFileSync(await download.path(), 'utf8'), JSON.stringify(exportLine))
  const { searchParams } = new URL(request.url())
  assert.deepEqual([searchParams.get('outcome'), searchParams.get('format')], ['denied', 'csv'])
  assert.ok(Date.parse(searchParams.get('to') ?? '') > Date.parse(searchParams.get('from') ?? ''))
})

test('a log that is not enabled names its setting; a denied one says so', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  for (const [status, words] of [
    [501, 'This part of the installation is not configured'],
    [403, 'You may not see this page'],
    [429, 'Try again'],
  ] as const) {
    const url = await serveConsole(t, await packed, { ...auditShell, '/api/audit': status })
    const { page } = await openLook(browser, `${url}/audit`, wide)
    await page.waitForSelector(`text=${words}`)
    assert.deepEqual(await axeViolations(page), [])
    await page.context().close()
  }
})

/** Bytes of the heap after a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

// The long form is 10,000 rows.
const few = countOf(15, 50)
const many = countOf(60, 200)

test(
  `${many * 50} rows in ${many} pages: the heap and the document stay as large as after ${few} pages`,
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const url = await serveConsole(t, await packed, endlessLog().api)
    const { page } = await openLook(browser, `${url}/audit`, wide)
    await page.clock.install()
    const pages = async (first: number, last: number): Promise<readonly [number, number]> => {
      for (let number = first; number <= last; number += 1) {
        await page.getByRole('button', { name: 'Older' }).click()
        await page.waitForSelector(`tbody b:text-is("refund-agent-${number * 50 + 1}")`)
      }
      // Pages are kept for half a minute.
      await page.clock.fastForward(31_000)
      return [await heapOf(page), await page.evaluate<number>('document.querySelectorAll("*").length')]
    }
    const [heapOfFew, elementsOfFew] = await pages(1, few)
    const [heapOfMany, elementsOfMany] = await pages(few + 1, many)
    t.diagnostic(
      `heap ${(heapOfFew / 1e6).toFixed(2)} MB after ${few} pages, ${(heapOfMany / 1e6).toFixed(2)} MB after ${many}`,
    )
    assert.equal(elementsOfMany, elementsOfFew)
    // Chromium keeps one element a page for its LargestContentfulPaint entries, of which it keeps 150. The rows of a page would be 50 kB.
    assert.ok(heapOfMany - heapOfFew < 2_000_000, `${heapOfFew} to ${heapOfMany} bytes`)
  },
)
