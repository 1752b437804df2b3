import assert from 'node:assert/strict'
import test from 'node:test'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import { startAuthorizationServer } from '#plugins/mcp/testing/authorization-server.ts'
import { startProtectedServer } from '#plugins/mcp/testing/protected-server.ts'
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
  // As those of the published port, and once they have ended.
  await dev.says(new RegExp(`^succeeded .* ${stream.headers.get('x-mesh-run-id')}\\n└─ step 1`, 'm'))
  const created = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const { id } = (await created.json()) as { readonly id: string }
  await dev.says(new RegExp(`^succeeded .* ${id}\\n└─ step 1`, 'm'))
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

test('an authorization server redirects to the console of dev --ui', async (t) => {
  const at = await startAuthorizationServer(t)
  const server = await startProtectedServer(t, at)
  const files = { 'agent.yaml': 'name: bot\nmodel: {route: mock}\n' }
  const dev = startDevCommand(t, files, ['--ui', '--ui-port', '0'])
  const url = await dev.says(/console {2}(http:\S+)/)
  const post = (path: string, body: object) =>
    fetch(`${url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(body),
    })
  const object = {
    metadata: { namespace: 'default', name: 'tickets' },
    spec: { url: server.url, auth: { kind: 'oauth' } },
  }
  const made = await post('mcpservers', { apiVersion: 'mesh.dev/v1alpha1', kind: 'McpServer', ...object })
  assert.equal(made.status, 201, await made.text())
  const begun = await post('mcp/oauth/grant', { namespace: 'default', server: 'tickets' })
  assert.equal(begun.status, 201, begun.statusText)
  const { authorizationUrl } = (await begun.json()) as { readonly authorizationUrl: string }
  assert.equal(new URL(new URL(authorizationUrl).searchParams.get('redirect_uri') ?? '').origin, url)
})
