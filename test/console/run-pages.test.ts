import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { cannedRunId, cannedRuns } from './canned-runs.ts'
import { needsChromium } from './browser-session.ts'
import { serveConsole } from './fake-console.ts'
import type { Look } from './look.ts'
import { axeViolations, looks, openLook, overflowOf, startBrowser } from './look.ts'

const files = await consoleFiles()

/** Pages, with what they show. */
const pages: readonly (readonly [string, string])[] = [
  ['/runs', 'tr[data-index="3"]'],
  [`/runs/${cannedRunId(3)}`, '[role="row"][aria-selected="true"]'],
  [`/runs/${cannedRunId(13)}?view=messages`, 'article'],
  ['/runs/compare?a=x&b=y', 'tr[data-index="2"]'],
  ['/shares', 'tr[data-index="1"]'],
  ['/traces', 'tr[data-index="0"]'],
  ['/traces/4bf92f3577b34da6a3ce929d0e0e4736', '[role="treegrid"]'],
  ['/shared/mesh_share_invented', '[role="treegrid"]'],
]

/** The main pages in all looks; of the others each theme and each width is seen. */
function looksOf(path: string): readonly Look[] {
  const isMain = path === '/runs' || path === `/runs/${cannedRunId(3)}`
  return looks.filter(({ scheme, width }) => isMain || (scheme === 'light') === (width === 'wide'))
}

/** Requests of a page to the API. */
function requestsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/api/'))",
  )
}

test(
  'pages of runs: no violation, no error, no sideways scroll, few requests, hostile words as text',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, files, cannedRuns)
    const browser = await startBrowser(t)
    for (const [path, shown] of pages)
      for (const look of looksOf(path)) {
        const name = `${path} ${look.scheme} ${look.width}`
        const { page, problems } = await openLook(browser, url + path, look)
        await page.waitForSelector(shown)
        assert.deepEqual(await axeViolations(page), [], name)
        assert.ok((await overflowOf(page)) <= 0, `${name} scrolls sideways`)
        assert.deepEqual(problems, [], name)
        assert.ok((await requestsOf(page)).filter((one) => !/capabilities|namespaces/.test(one)).length <= 6, name)
        assert.doesNotMatch(await page.title(), /^x$/)
        await page.context().close()
      }
  },
)

test('a denied list of runs names the right; a list that fails offers another try', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  for (const status of [403, 404, 429, 500]) {
    const url = await serveConsole(t, files, { ...cannedRuns, '/api/runs': status })
    const { page } = await openLook(browser, `${url}/runs`, { scheme: 'light', width: 'wide' })
    await page.waitForSelector(status === 403 ? 'text=You may not see this page' : 'text=Try again')
    await page.context().close()
  }
})
