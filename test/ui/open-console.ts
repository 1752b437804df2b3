import type { BrowserContext, Page } from 'playwright-core'
import type { Scope } from '#test/harness/scope.ts'
import { isProblem, startBrowser, windowOf } from '../console/look.ts'
import type { Look } from '../console/look.ts'
import { startEmbedded } from '../flows/platform/embedded.ts'
import type { Platform } from '../flows/platform/running-platform.ts'
import { makeDemoContent } from './demo-content.ts'
import type { DemoContent } from './demo-content.ts'

/** A persona of the embedded default. */
export type ShownPersona = 'admin' | 'operator' | 'developer' | 'viewer'

/** The console of a platform with content, for a persona that is signed in. */
export interface OpenConsole {
  readonly platform: Platform
  readonly content: DemoContent
  open(look: Look): Promise<BrowserContext>
}

/** Starts a platform as `npm start` does, with runs, and signs a persona in once. */
export async function openConsole(t: Scope, persona: ShownPersona): Promise<OpenConsole> {
  const platform = await startEmbedded(t, { env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
  const content = await makeDemoContent(platform)
  const browser = await startBrowser(t)
  const first = await browser.newContext()
  await signIn(await first.newPage(), platform, persona)
  const storageState = await first.storageState()
  await first.close()
  return {
    platform,
    content,
    open: (look) => browser.newContext({ ...windowOf(look), storageState }),
  }
}

/** Signs a persona in with its token. */
export async function signIn(
  page: Page,
  { url, tokens }: Pick<Platform, 'url' | 'tokens'>,
  persona: keyof Platform['tokens'],
): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.fill('#token', tokens[persona])
  await page.keyboard.press('Enter')
  await page.waitForSelector('nav')
}

/** What a page asked for, and what its console said. */
export interface WatchedPage {
  readonly page: Page
  /** Paths below `/api` since the last navigation. */
  readonly asked: string[]
  readonly problems: string[]
}

/** Opens a page and watches it. */
export async function watchPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage()
  const asked: string[] = []
  const problems: string[] = []
  // The page before goes on asking until the first byte of this one.
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) asked.length = 0
  })
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && !isOfShell(pathname, page)) asked.push(pathname)
  })
  page.on('console', (message) => {
    if (isProblem(message)) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  return { page, asked, problems }
}

// The stream is one of the browser, and the counts of the navigation are asked for after the page. On Home they are the page's own.
function isOfShell(pathname: string, page: Page): boolean {
  return pathname === '/api/events' || (pathname === '/api/summary' && new URL(page.url()).pathname !== '/')
}

/** Waits until the page has its heading, and nothing of it is loading any more. */
export async function untilShown(page: Page): Promise<void> {
  await page.waitForSelector('main h1')
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached', timeout: 30_000 })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
}
