import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { cannedRunId, cannedRuns, cannedTree } from '../../test/console/canned-runs.ts'
import { serveConsole } from '../../test/console/fake-console.ts'
import { openLook, startBrowser } from '../../test/console/look.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'

const large = '1,000 spans'
const small = '20 spans'
const frames = 240
const id = cannedRunId(3)

/** Scrolling the waterfall of a large run by keys, against one that fits into the window. */
export const bench: Bench = {
  title: 'Waterfall of a run that is scrolled from its first to its last span (ms a frame)',
  measure: () =>
    withScope(async (t) => {
      const files = await consoleFiles()
      const browser = await startBrowser(t)
      const candidates = [[large, 1000] as const, [small, 20] as const].map(async ([name, size]) => {
        const api = { ...cannedRuns, [`/api/runs/${id}/tree`]: cannedTree(size) }
        const url = await serveConsole(t, files, api)
        const { page } = await openLook(browser, `${url}/runs/${id}`, { scheme: 'light', width: 'wide' })
        await page.waitForSelector('[role="row"][aria-selected="true"]')
        return { name, run: () => scroll(page) }
      })
      return interleave(await Promise.all(candidates), { rounds: 5, most: 8 })
    }),
  goals: (figureOf) => [
    {
      text: 'processor time a frame, ms',
      value: figureOf(large, 'cpu ms'),
      limit: 8,
      peer: { candidate: small, figure: 'cpu ms' },
    },
    {
      text: 'p95 of a frame, ms',
      value: figureOf(large, 'p95 ms'),
      limit: 20,
      peer: { candidate: small, figure: 'p95 ms' },
    },
  ],
}

// One step a frame, as a wheel that is turned fast.
const turnWheel = `new Promise((resolve) => {
  const rows = document.querySelector('[role="treegrid"]')
  let box = rows
  while (box !== null && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement
  const step = box === null ? 0 : (box.scrollHeight - box.clientHeight) / ${frames}
  const times = []
  let before = performance.now()
  const next = (now) => {
    times.push(now - before)
    before = now
    if (times.length > ${frames}) return resolve(times.slice(1))
    if (box !== null) box.scrollTop = times.length * step
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
})`

async function scroll(page: Page): Promise<Record<string, number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpu = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  }
  const before = await cpu()
  const times = await page.evaluate<readonly number[]>(turnWheel)
  const used = (await cpu()) - before
  await session.detach()
  return { 'cpu ms': (used * 1000) / frames, 'p95 ms': quantile(times, 0.95) }
}
