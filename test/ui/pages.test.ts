import assert from 'node:assert/strict'
import test from 'node:test'
import { long } from '#test/harness/counts.ts'
import type { Scope } from '#test/harness/scope.ts'
import { needsChromium } from '../console/browser-session.ts'
import { axeViolations, looks, overflowOf, setLook } from '../console/look.ts'
import type { Look } from '../console/look.ts'
import { openConsole, untilShown, watchPage } from './open-console.ts'
import type { ShownPersona, WatchedPage } from './open-console.ts'
import { shownPages } from './shown-pages.ts'

// Each look differs from the others in theme and width: two of them have every value once. An everyday run sees each page in one of them, since the
// tests of the pages' own content see both.
const shownLooks: readonly Look[] = long
  ? [...looks, { scheme: 'light', width: 'tablet' }, { scheme: 'dark', width: 'narrow' }]
  : [
      { scheme: 'light', width: 'wide' },
      { scheme: 'dark', width: 'phone' },
    ]
const MOST_REQUESTS = 6

/** What is wrong with a page that is opened once, in each look; one sentence each. */
async function faultsOf(
  { page, asked, problems }: WatchedPage,
  url: string,
  chosen: readonly Look[],
): Promise<readonly string[]> {
  problems.length = 0
  const found: string[] = []
  for (const [index, look] of chosen.entries()) {
    await setLook(page, look)
    if (index === 0) await page.goto(url)
    await untilShown(page)
    const violations = await axeViolations(page)
    const overflow = await overflowOf(page)
    const shown = `${look.scheme}, ${look.width}`
    found.push(...violations.map((one) => `axe (${shown}): ${one}`))
    if (overflow > 0) found.push(`it is ${overflow} px wider than the window (${shown})`)
  }
  const counted = new Set(asked)
  found.push(...problems.map((one) => `console: ${one}`))
  if (counted.size > MOST_REQUESTS) found.push(`it asks ${counted.size} times: ${[...counted].join(' ')}`)
  return found
}

// A response that a busy machine gives too late is an error of the console, too. What is wrong with a page is wrong whenever it is opened.
async function lastingFaultsOf(...opened: Parameters<typeof faultsOf>): Promise<readonly string[]> {
  const look = (): Promise<readonly string[]> => faultsOf(...opened).catch((error: unknown) => [String(error)])
  const first = await look()
  return first.length === 0 ? [] : await look()
}

/** What is wrong with the pages of a persona, in some looks. */
async function faultsFor(t: Scope, persona: ShownPersona, chosen: readonly Look[]): Promise<readonly string[]> {
  const { platform, content, open } = await openConsole(t, persona)
  const pages = await shownPages(content)
  assert.ok(pages.some(({ path }) => path === '/') && pages.some(({ path }) => path === '/runs'))
  const found: string[] = []
  // Not a touched window, which would widen itself to a page that is too wide.
  const watched = await watchPage(await open({ scheme: 'light', width: 'wide' }))
  for (const [index, { name, path }] of pages.entries()) {
    const its = long ? chosen : chosen.slice(index % chosen.length).slice(0, 1)
    const faults = await lastingFaultsOf(watched, `${platform.url}${path}`, its)
    found.push(...faults.map((fault) => `${name}: ${fault}`))
  }
  return found
}

// The first line of a message is all that CI repeats at its end.
function assertNone(faults: readonly string[]): void {
  assert.equal(faults.length, 0, faults.join('; '))
}

test(
  'every page of the console: no axe violation, no console error, no sideways scroll, at most six requests',
  needsChromium,
  async (t) => {
    assertNone(await faultsFor(t, 'admin', shownLooks))
  },
)

const others = ['operator', 'developer', 'viewer'] as const

for (const persona of long ? others : [])
  test(`every page for a ${persona}: what is denied is not asked for, and says so`, needsChromium, async (t) => {
    assertNone(await faultsFor(t, persona, [{ scheme: 'light', width: 'wide' }]))
  })
