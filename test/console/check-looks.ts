import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, openWindow, overflowOf, setLook } from './look.ts'
import type { Look } from './look.ts'

/** A page, and what it shows when it is whole: a selector, or what waits for it. */
export type LookedPath = readonly [path: string, shown: string | ((page: Page) => Promise<unknown>)]

/** Further checks of each look, and what does not apply. */
export interface LookChecks {
  /** Rules of axe that do not apply. */
  readonly disabled?: readonly string[]
  /** Whether the page is wider than 320 px, as the page of parts is. */
  readonly isWide?: boolean
  /** Further checks of a page in a look. */
  readonly check?: (page: Page, where: string) => Promise<void>
  /** Whether the console may say this. */
  readonly isExpected?: (problem: string) => boolean
}

/** Each theme and each width once: colours do not depend on the width, and structure does not depend on the theme. */
export const crossLooks: readonly Look[] = [
  { scheme: 'light', width: 'wide' },
  { scheme: 'dark', width: 'phone' },
]

/**
 * Opens each page once in one window, and looks at it on a light wide screen and a dark phone: no violation, no sideways scroll, no error of
 * the console. Every page also fits into 320 px.
 */
export async function checkLooks(
  browser: Browser,
  url: string,
  paths: readonly LookedPath[],
  checks: LookChecks = {},
): Promise<void> {
  const window = await openWindow(browser)
  for (const [path, shown] of paths) {
    window.problems.length = 0
    for (const look of crossLooks) {
      await setLook(window.page, look)
      if (look === crossLooks[0]) await window.page.goto(`${url}${path}`)
      await (typeof shown === 'string' ? window.page.waitForSelector(shown) : shown(window.page))
      await checkLook(window.page, look, path, checks)
    }
    const { isExpected = () => false } = checks
    const unexpected = window.problems.filter((one) => !isExpected(one))
    assert.deepEqual(unexpected, [], path)
  }
  await window.page.context().close()
}

async function checkLook(page: Page, look: Look, path: string, checks: LookChecks): Promise<void> {
  const where = `${path}, ${look.scheme}, ${look.width}`
  await setLook(page, look)
  assert.deepEqual(await axeViolations(page, checks.disabled), [], where)
  assert.ok((await overflowOf(page)) <= 0, `${where} scrolls sideways`)
  await checks.check?.(page, where)
  if (look.width !== 'phone' || checks.isWide === true) return
  await setLook(page, { ...look, width: 'narrow' })
  assert.ok((await overflowOf(page)) <= 0, `${where} scrolls sideways at 320 px`)
}

/**
 * Addresses below `/api` that a page has asked for since it was opened, each once: a slow machine asks again. The stream and the counts of the
 * navigation are of the shell.
 */
export async function requestsOf(page: Page): Promise<readonly string[]> {
  const names = await page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name)",
  )
  const isHome = new URL(page.url()).pathname === '/'
  const asked = [...new Set(names)].map((name) => new URL(name)).filter(({ pathname }) => pathname.startsWith('/api/'))
  const own = asked.filter(({ pathname }) => pathname !== '/api/events' && (isHome || pathname !== '/api/summary'))
  return own.map(({ pathname }) => pathname)
}
