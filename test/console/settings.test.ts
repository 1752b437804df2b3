import assert from 'node:assert/strict'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { checkLooks } from './check-looks.ts'
import type { LookedPath } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { startBrowser } from './look.ts'

const hostile = '<img src=x onerror=alert(1)> \u202e\u0007'

const canned = {
  ...cannedShell,
  '/api/whoami': {
    username: hostile,
    uid: '',
    groups: ['system:authenticated', hostile],
    extra: {},
    permissions: {
      namespace: 'support',
      complete: false,
      rules: [
        { verbs: ['list', 'get'], groups: ['mesh.dev'], resources: ['agentdeployments'] },
        { verbs: ['*'], groups: ['', 'apps'], resources: ['x'.repeat(300)], names: [hostile] },
      ],
    },
  },
  '/api/version': {
    version: '0.1.0',
    build: { digest: `sha256:${'9f'.repeat(32)}`, node: '26.10.0', platform: 'linux-x64' },
    install: 'mesh',
    profile: 'open',
    settings: { 'runs.retentionDays': 30, ui: true, [hostile]: hostile },
  },
}

const tabs: Readonly<Record<string, RegExp>> = {
  '': /What you may do in support/,
  '/access': /could not list every rule/,
  '/plugins': /not configured/i,
  '/display': /Exact times in/,
  '/keyboard': /Single letters and signs act/,
  '/about': /runs\.retentionDays/,
  '/nothing': /What you may do in support/,
}

test('Settings: no axe violation, no console error, no sideways scroll on each tab', needsChromium, async (t) => {
  const files = await consoleFiles()
  const url = await serveConsole(t, files, canned)
  const browser = await startBrowser(t)
  const paths = Object.entries(tabs).map(([tab, words]): LookedPath => {
    return [`/settings${tab}`, (page) => page.getByText(words).first().waitFor()]
  })
  await checkLooks(browser, url, paths)
})

test('theme, time zone and letters are kept in the browser; tabs stand in the address', needsChromium, async (t) => {
  const files = await consoleFiles()
  const url = await serveConsole(t, files, canned)
  const browser = await startBrowser(t)
  const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' })
  const page = await context.newPage()
  await page.goto(`${url}/settings#code=once`)
  await page.getByRole('tab', { name: 'Display' }).click()
  await page.waitForURL(`${url}/settings/display`)
  await page.getByText(/\d\d:\d\d:\d\d\.\d{3} UTC/).waitFor()
  await page.getByRole('radio', { name: 'Local, Asia/Tokyo' }).click()
  await page.getByText(/\d\d:\d\d:\d\d\.\d{3} Asia\/Tokyo/).waitFor()
  await page.getByRole('radio', { name: 'Dark' }).click()
  await page.goto(`${url}/settings/keyboard`)
  assert.equal(await page.evaluate('document.documentElement.dataset.scheme'), 'dark')
  await page.getByRole('checkbox').uncheck()
  await page.goto(`${url}/settings/display`)
  await page
    .getByText(/Asia\/Tokyo$/)
    .first()
    .waitFor()
  assert.deepEqual(await page.evaluate('Object.keys(localStorage).toSorted()'), [
    'mesh-letters',
    'mesh-scheme',
    'mesh-time-zone',
  ])
  await page.goto(`${url}/settings?namespace=finance`)
  await page.getByText('What you may do in finance').waitFor()
})
