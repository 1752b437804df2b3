import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, colourViolations, looks, openWindow, overflowOf, setLook } from './look.ts'
import type { Look } from './look.ts'

/** A page, and what it shows when it is whole: a selector, or what waits for it. */
export type LookedPath = readonly [path: string, shown: string | ((page: Page) => Promise<unknown>)]

/** What is looked at, if not everything in each look. */
export interface LookChecks {
  readonly looks?: readonly Look[]
  /** Rules of axe that do not apply. */
  readonly disabled?: readonly string[]
  /** Whether the page is wider than 320 px, as the page of parts is. */
  readonly isWide?: boolean
  /** Further checks of a page in a look. */
  readonly check?: (page: Page, where: string) => Promise<void>
  /** Whether the console may say this. */
  readonly isExpected?: (problem: string) => boolean
}

/** Each theme and each width once: colours do not depend on the width. */
export const crossLooks: readonly Look[] = [
  { scheme: 'light', width: 'wide' },
  { scheme: 'dark', width: 'phone' },
]

/**
 * Opens each page once a width, in one window, and looks at it in each theme: no violation, no sideways scroll, no error of the console.
 * Every page that is looked at on a phone also fits into 320 px.
 */
export async function checkLooks(
  browser: Browser,
  url: string,
  paths: readonly LookedPath[],
  checks: LookChecks = {},
): Promise<void> {
  const window = await openWindow(browser)
  for (const [, ofWidth] of Map.groupBy(checks.looks ?? looks, ({ width }) => width))
    for (const [path, shown] of paths) {
      await setLook(window.page, ofWidth[0] ?? crossLooks[0]!)
      window.problems.length = 0
      await window.page.goto(`${url}${path}`)
      await (typeof shown === 'string' ? window.page.waitForSelector(shown) : shown(window.page))
      for (const look of ofWidth) await checkLook(window.page, { look, path, isFirst: look === ofWidth[0] }, checks)
      const { isExpected = () => false } = checks
      assert.deepEqual(
        window.problems.filter((one) => !isExpected(one)),
        [],
        path,
      )
    }
  await window.page.context().close()
}

interface CheckedLook {
  readonly look: Look
  readonly path: string
  /** Whether it is the first look since the page was opened. */
  readonly isFirst: boolean
}

async function checkLook(page: Page, { look, path, isFirst }: CheckedLook, checks: LookChecks): Promise<void> {
  const where = `${path}, ${look.scheme}, ${look.width}`
  await setLook(page, look)
  assert.deepEqual(isFirst ? await axeViolations(page, checks.disabled) : await colourViolations(page), [], where)
  assert.ok((await overflowOf(page)) <= 0, `${where} scrolls sideways`)
  await checks.check?.(page, where)
  if (look.width !== 'phone' || !isFirst || checks.isWide === true) return
  await setLook(page, { ...look, width: 'narrow' })
  assert.ok((await overflowOf(page)) <= 0, `${where} scrolls sideways at 320 px`)
  await setLook(page, look)
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
