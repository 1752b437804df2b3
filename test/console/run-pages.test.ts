import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { cannedRunId, cannedRuns } from './canned-runs.ts'
import { needsChromium } from './browser-session.ts'
import { checkLooks, requestsOf } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { openLook, startBrowser } from './look.ts'

const packed = consoleFiles()

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

test(
  'pages of runs: no violation, no error, no sideways scroll, few requests, hostile words as text',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, await packed, cannedRuns)
    const browser = await startBrowser(t)
    const check = async (page: Page, where: string): Promise<void> => {
      const asked = (await requestsOf(page)).filter((one) => !/capabilities|namespaces/.test(one))
      assert.ok(asked.length <= 6, `${where} ${asked.join(' ')}`)
      assert.doesNotMatch(await page.title(), /^x$/)
    }
    await checkLooks(browser, url, pages, { check })
  },
)

test('a denied list of runs names the right; a list that fails offers another try', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  for (const status of [403, 404, 429, 500]) {
    const url = await serveConsole(t, await packed, { ...cannedRuns, '/api/runs': status })
    const { page } = await openLook(browser, `${url}/runs`, { scheme: 'light', width: 'wide' })
    await page.waitForSelector(status === 403 ? 'text=You may not see this page' : 'text=Try again')
    await page.context().close()
  }
})
