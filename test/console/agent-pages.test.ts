import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgents } from './canned-agents.ts'
import { checkLooks, requestsOf } from './check-looks.ts'
import type { LookedPath } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { startBrowser } from './look.ts'

const packed = consoleFiles()
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
  const url = await serveConsole(t, await packed, cannedAgents)
  const browser = await startBrowser(t)
  const paths = pages.map(([path, shown]): LookedPath => {
    return [path, (page) => page.waitForSelector(shown, { state: 'attached' })]
  })
  const check = async (page: Page, where: string): Promise<void> => {
    assert.equal(await page.locator('img').count(), 0, where)
    const asked = (await requestsOf(page)).filter((one) => !/capabilities|namespaces$/.test(one))
    assert.ok(asked.length <= 6, `${where} ${asked.join(' ')}`)
  }
  // What a page asks for and may be refused without harm is no error of its own.
  const isExpected = (problem: string): boolean => /status of 404/.test(problem)
  await checkLooks(browser, url, paths, { check, isExpected })
})
