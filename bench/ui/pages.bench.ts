import type { Browser } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { cannedCost } from '../../test/console/canned-cost.ts'
import { badDay, cannedHome } from '../../test/console/canned-home.ts'
import { cannedAgents } from '../../test/console/canned-agents.ts'
import { cannedRunId, cannedRuns } from '../../test/console/canned-runs.ts'
import { serveConsole } from '../../test/console/fake-console.ts'
import type { CannedResponses } from '../../test/console/fake-console.ts'
import { startBrowser } from '../../test/console/look.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const floor = 'page of a kind that is not there'

/** Pages with their responses, and what is on them when they are whole. */
const pages: Readonly<Record<string, readonly [path: string, shown: string, api: CannedResponses]>> = {
  [floor]: ['/not-a-page', 'main h1', cannedRuns],
  Home: ['/', 'text=Spend this month', cannedHome(badDay)],
  Agents: ['/agents', 'tbody tr[data-index="0"]', cannedAgents],
  Runs: ['/runs', 'tbody tr[data-index="3"]', cannedRuns],
  Run: [`/runs/${cannedRunId(3)}`, '[role="row"][aria-selected="true"]', cannedRuns],
  Cost: ['/cost', 'main figure svg, main [role="img"]', cannedCost()],
}

/** What shifts while a page of every day loads, how often it asks, and when it is whole. */
export const bench: Bench = {
  title: 'Pages of the console in a browser with an empty cache',
  measure: () =>
    withScope(async (t) => {
      const files = await consoleFiles()
      const browser = await startBrowser(t)
      const candidates = Object.entries(pages).map(async ([name, [path, shown, api]]) => {
        const url = await serveConsole(t, files, api)
        return { name, run: () => openPage(browser, url + path, shown) }
      })
      return interleave(await Promise.all(candidates), { rounds: 3, most: 5 })
    }),
  goals: (figureOf) =>
    Object.keys(pages)
      .filter((name) => name !== floor)
      .flatMap((name) => [
        { text: `${name}: cumulative layout shift`, value: figureOf(name, 'CLS'), limit: 0.01 },
        { text: `${name}: requests to /api`, value: figureOf(name, 'requests'), limit: 6 },
      ]),
}

// https://web.dev/articles/cls: the largest sum within a window of sessions; a load is one session.
const observeShifts = `
  globalThis.shifted = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
`
const SETTLE_MS = 500
// What the shell asks for on every page: the stream, the counts, who is signed in.
const ofShell = /^\/api\/(?:events|summary|capabilities|namespaces|whoami)$/

async function openPage(browser: Browser, url: string, shown: string): Promise<Record<string, number>> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const asked = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && !ofShell.test(pathname)) asked.add(request.url())
  })
  await page.addInitScript(observeShifts)
  const began = performance.now()
  await page.goto(url)
  await page.waitForSelector(shown)
  const shownAfter = performance.now() - began
  await page.waitForTimeout(SETTLE_MS)
  const shifted = await page.evaluate<number>('globalThis.shifted')
  await context.close()
  return { CLS: shifted, requests: asked.size, 'shown ms': shownAfter }
}
