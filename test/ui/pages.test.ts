import assert from 'node:assert/strict'
import test from 'node:test'
import { long } from '#test/harness/counts.ts'
import type { Scope } from '#test/harness/scope.ts'
import { needsChromium } from '../console/browser-session.ts'
import { axeViolations, looks, overflowOf } from '../console/look.ts'
import type { Look } from '../console/look.ts'
import { openConsole, untilShown, watchPage } from './open-console.ts'
import type { ShownPersona, WatchedPage } from './open-console.ts'
import { shownPages } from './shown-pages.ts'

// Each look differs from the others in theme and width: two of them have every value once.
const shownLooks: readonly Look[] = long
  ? [...looks, { scheme: 'light', width: 'tablet' }, { scheme: 'dark', width: 'narrow' }]
  : [
      { scheme: 'light', width: 'wide' },
      { scheme: 'dark', width: 'phone' },
    ]
const MOST_REQUESTS = 6

/** What is wrong with a page, one sentence each. */
async function faultsOf({ page, asked, problems }: WatchedPage, url: string): Promise<readonly string[]> {
  problems.length = 0
  await page.goto(url)
  await untilShown(page)
  const violations = await axeViolations(page)
  const overflow = await overflowOf(page)
  const counted = new Set(asked)
  return [
    ...violations.map((one) => `axe: ${one}`),
    ...problems.map((one) => `console: ${one}`),
    ...(overflow > 0 ? [`it is ${overflow} px wider than the window`] : []),
    ...(counted.size > MOST_REQUESTS ? [`it asks ${counted.size} times: ${[...counted].join(' ')}`] : []),
  ]
}

// A response that a busy machine gives too late is an error of the console, too. What is wrong with a page is wrong whenever it is opened.
async function lastingFaultsOf(watched: WatchedPage, url: string): Promise<readonly string[]> {
  const look = (): Promise<readonly string[]> => faultsOf(watched, url).catch((error: unknown) => [String(error)])
  const first = await look()
  return first.length === 0 ? [] : await look()
}

/** What is wrong with the pages of a persona, in some looks. */
async function faultsFor(t: Scope, persona: ShownPersona, chosen: readonly Look[]): Promise<readonly string[]> {
  const { platform, content, open } = await openConsole(t, persona)
  const pages = await shownPages(content)
  assert.ok(pages.some(({ path }) => path === '/') && pages.some(({ path }) => path === '/runs'))
  const found: string[] = []
  for (const look of chosen) {
    const context = await open(look)
    const watched = await watchPage(context)
    for (const { name, path } of pages) {
      const faults = await lastingFaultsOf(watched, `${platform.url}${path}`)
      found.push(...faults.map((fault) => `${name} (${look.scheme}, ${look.width}): ${fault}`))
    }
    await context.close()
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
