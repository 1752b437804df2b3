import assert from 'node:assert/strict'
import test from 'node:test'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import { chromium } from '#test/harness/find-chromium.ts'
import { openBrowser } from '../../../test/console/browser-session.ts'
import { startDevCommand } from '../testing/run-dev-command.ts'

test('dev --ui serves the console of the package without a sign-in: page, asset, API, stream, and a browser', async (t) => {
  const files = { 'agent.yaml': 'name: bot\nmodel: {route: mock}\nsystemPrompt: Be brief.\n' }
  const dev = startDevCommand(t, files, ['--ui', '--ui-port', '0'])
  const url = await dev.says(/console {2}(http:\S+)/)
  const page = await fetch(`${url}/runs`)
  assert.equal(page.headers.get('content-security-policy'), CONSOLE_POLICY)
  const script = /src="(\/assets\/main-[^"]+)"/.exec(await page.text())?.[1] ?? ''
  const asset = await fetch(url + script)
  assert.deepEqual([asset.status, asset.headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
  assert.match(await (await fetch(`${url}/api/whoami`)).text(), /"username":"admin"/)
  assert.equal((await fetch(`${url}/openapi.json`)).status, 200)

  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  const body = JSON.stringify({ agent: { namespace: 'default', name: 'bot' }, input: 'Hi' })
  const invoke = (more: Record<string, string> = {}) =>
    fetch(`${url}/api/invoke`, { method: 'POST', headers: { ...headers, ...more }, body })
  const stream = await invoke()
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.match(await stream.text(), /MOCK_OK/)
  assert.equal((await invoke({ origin: 'https://evil.example' })).status, 403)
  // Open while the platform runs, as the page has it: it does not delay the end.
  const events = await fetch(`${url}/api/events?scope=permitted`)
  assert.equal(events.status, 200)

  await t.test('Chromium shows the page and no sign-in', { skip: chromium === undefined }, async (sub) => {
    const browser = await openBrowser(sub)
    await browser.open(`${url}/runs`)
    await browser.until(/Search or jump to[^]*bot/)
    assert.doesNotMatch(await browser.text(), /sign in/i)
    assert.deepEqual(browser.problems, [])
  })
  assert.equal(await dev.stop('SIGINT'), 130)
  await assert.rejects(fetch(url))
})
