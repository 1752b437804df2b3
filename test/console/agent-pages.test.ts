import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgents } from './canned-agents.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, looks, openLook, overflowOf, startBrowser } from './look.ts'

const files = await consoleFiles()
const agent = '/agents/support/triage'

/** Pages of agents, with what they show when they are whole. */
const pages: readonly (readonly [string, string])[] = [
  ['/agents', 'tr[data-index="3"]'],
  [agent, 'text=nightly'],
  [`${agent}?tab=runs`, 'tr[data-index="0"]'],
  [`${agent}?tab=versions`, '.cm-content'],
  [`${agent}?tab=logs`, 'text=away'],
  [`${agent}?tab=memory`, 'text=all users'],
  [`${agent}?tab=policies`, 'text=cards: mask'],
  [`${agent}?tab=yaml`, '[role="form"]'],
  [`${agent}?tab=yaml&view=yaml`, '.cm-content'],
  [`${agent}?tab=playground`, 'textarea'],
  [`${agent}?tab=playground&conversation=talk-1`, '[role="treegrid"] [data-place="3"]'],
]

test('pages of agents: no violation, no error, no sideways scroll, hostile words as text', needsChromium, async (t) => {
  const url = await serveConsole(t, files, cannedAgents)
  const browser = await startBrowser(t)
  for (const look of looks) {
    const { page, problems } = await openLook(browser, url, look)
    for (const [path, shown] of pages) {
      const name = `${path} ${look.scheme} ${look.width}`
      await page.goto(url + path)
      await page.waitForSelector(shown, { state: 'attached' })
      assert.ok((await overflowOf(page)) <= 0, `${name} scrolls sideways`)
      assert.deepEqual(problems.filter(isUnexpected), [], name)
      assert.equal(await page.locator('img').count(), 0, name)
      assert.ok((await requestsOf(page)).length <= 6, name)
      // Each theme once and each width once: colours do not depend on the width.
      if ((look.scheme === 'light') === (look.width === 'wide')) assert.deepEqual(await axeViolations(page), [], name)
    }
    await page.context().close()
  }
})

// What a page asks for and may be refused without harm is no error of its own.
function isUnexpected(problem: string): boolean {
  return !/status of 404/.test(problem)
}

async function requestsOf(page: Page): Promise<readonly string[]> {
  const paths = await page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
  )
  return paths.filter((path) => path.startsWith('/api/') && !/capabilities|namespaces$/.test(path))
}
