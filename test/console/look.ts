import { readFileSync } from 'node:fs'
import { chromium as driver } from 'playwright-core'
import type { Browser, ConsoleMessage, Page } from 'playwright-core'
import type { Scope } from '#test/harness/scope.ts'
import { chromium } from '#test/harness/find-chromium.ts'

const sizes = {
  wide: { width: 1440, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
  // WCAG 2.2, 1.4.10 (reflow).
  narrow: { width: 320, height: 640 },
}

/** How a window looks. */
export interface Look {
  readonly scheme: 'light' | 'dark'
  readonly width: keyof typeof sizes
}

/** Both themes and both widths. */
export const looks: readonly Look[] = (['light', 'dark'] as const).flatMap((scheme) =>
  (['wide', 'phone'] as const).map((width) => ({ scheme, width })),
)

/** A page of a window, with what its console said. */
export interface LookedPage {
  readonly page: Page
  /** Errors and warnings of the console, and exceptions. */
  readonly problems: readonly string[]
}

// A browser costs as much to start as a page to look at: the tests of a process share one, each with windows of its own.
let shared: Promise<Browser> | undefined
let closing: NodeJS.Timeout | undefined
const IDLE_MS = 1_000

/** Chromium of this process; its windows that are opened from now on are closed with the scope. */
export async function startBrowser(t: Scope): Promise<Browser> {
  clearTimeout(closing)
  const last = await shared
  if (last?.isConnected() !== true)
    shared = driver.launch({
      executablePath: chromium ?? '',
      args: ['--no-sandbox', '--font-render-hinting=none'],
    })
  const browser = (await shared) as Browser
  const before = new Set(browser.contexts())
  t.after(async () => {
    await Promise.all(browser.contexts().map((one) => (before.has(one) ? undefined : one.close())))
    clearTimeout(closing)
    // It would keep this process.
    closing = setTimeout(() => browser.close().catch(() => undefined), IDLE_MS)
  })
  return browser
}

/** Options of a window of a look. */
export function windowOf({ scheme, width }: Look) {
  const isTouched = width !== 'wide'
  return { viewport: sizes[width], colorScheme: scheme, isMobile: isTouched, hasTouch: isTouched }
}

/** Gives a window another look: its page stays, and so does what it has loaded. */
export async function setLook(page: Page, { scheme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.setViewportSize(sizes[width])
}

// Grounds of buttons change slowly, and what opens fades in: its colours are others meanwhile. A turning ring has no end.
const untilSettled = `Promise.allSettled(
  document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished),
).then(() => undefined)`

/** Opens an empty window. It is not a touched one: a phone widens its window to a page that is too wide. */
export async function openWindow(browser: Browser): Promise<LookedPage & { readonly problems: string[] }> {
  return watched(await browser.newPage())
}

/** Opens an address in a window of a look. */
export async function openLook(browser: Browser, url: string, look: Look): Promise<LookedPage> {
  const context = await browser.newContext(windowOf(look))
  const { page, problems } = watched(await context.newPage())
  await page.goto(url)
  await page.waitForSelector('main')
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  return { page, problems }
}

function watched(page: Page): LookedPage & { readonly problems: string[] } {
  const problems: string[] = []
  page.on('console', (message) => {
    if (isProblem(message)) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  return { page, problems }
}

/** Whether a message of a page's console says that the page has a fault. */
export function isProblem(message: ConsoleMessage): boolean {
  // A font that text needs only seconds after the load is the slowness of the machine.
  return ['error', 'warning'].includes(message.type()) && !/was preloaded using link preload/.test(message.text())
}

const axeScript = (): string => readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Violations that axe finds, as `rule: element: reason`. */
export async function axeViolations(page: Page, disabled: readonly string[] = []): Promise<readonly string[]> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) {
    // Sent by the debugger, which the policy of the page does not stop.
    const session = await page.context().newCDPSession(page)
    await session.send('Runtime.evaluate', { expression: axeScript() })
    await session.detach()
  }
  await page.evaluate(untilSettled)
  const rules = Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }]))
  const run = `axe.run(document, ${JSON.stringify({ rules, resultTypes: ['violations'] })})`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(' ')}: ${any[0]?.message ?? ''}`),
  )
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly {
      readonly target: readonly string[]
      readonly any: readonly { readonly message: string }[]
    }[]
  }[]
}

/** How many pixels the content is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>(`Math.max(
    document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('main')].map((one) => one.scrollWidth - one.clientWidth),
  )`)
}
