import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { Browser } from 'playwright-core'
import { startAuthorizationServer } from '#plugins/mcp/testing/authorization-server.ts'
import { startProtectedServer } from '#plugins/mcp/testing/protected-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { needsChromium } from '../console/browser-session.ts'
import { startBrowser } from '../console/look.ts'
import { addBoundAgents, startForConsents } from '../flows/platform/consents.ts'
import { signIn, watchPage } from './open-console.ts'

/** The admin connects a server that asks for a grant, and consents, so that its tools are read. */
async function connectByClicks(
  browser: Browser,
  ready: Parameters<typeof signIn>[1],
  serverUrl: string,
): Promise<void> {
  const { page, problems } = await watchPage(await browser.newContext())
  await signIn(page, ready, 'admin')
  await page.goto(`${ready.url}/mcpservers?namespace=default`)
  await page.getByRole('main').getByRole('button', { name: 'Connect' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('tickets')
  await dialog.getByLabel('Address', { exact: true }).fill(serverUrl)
  await dialog.getByLabel(/^Credential/).selectOption('oauth')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('link', { name: 'Open the server' }).click()
  await page.getByRole('button', { name: 'Grant access' }).click()
  await page.waitForURL(/\/mcpservers\/default\/tickets/)
  await page.getByText('echo', { exact: true }).first().waitFor()
  assert.deepEqual(problems, [])
  await page.context().close()
}

test(
  'a person consents in the browser, the run that waited finishes, and a revocation ends the consent',
  needsChromium,
  async (t) => {
    const folder = tempFolder('consent-ui')
    t.after(folder.remove)
    const at = await startAuthorizationServer(t, { account: 'root' })
    const server = await startProtectedServer(t, at)
    const platform = await startForConsents(t, join(folder.path, 'data'))
    const browser = await startBrowser(t)
    await connectByClicks(browser, platform.ready, server.url)
    await addBoundAgents(platform, [{ name: 'looping', model: { route: 'script' } }])
    at.as('ada')
    const { runId, state } = await platform.invoke('looping')
    assert.equal(state, 'paused')

    const { page, problems } = await watchPage(await browser.newContext())
    await signIn(page, platform.ready, 'developer')
    await page.goto(`${platform.ready.url}/runs/${runId}`)
    await page.getByRole('link', { name: 'Grant access' }).click()
    await page.waitForURL(/\/consent\/default\/tickets\?run=/)
    await page.getByRole('button', { name: 'Continue to the authorization server' }).click()

    // The authorization server asks nothing more: the callback brings the person back to the run.
    await page.waitForURL(`${platform.ready.url}/runs/${runId}`)
    await page.getByText('Succeeded').first().waitFor()
    await page.getByText('Messages', { exact: true }).click()
    await page.getByText('Echoed.').first().waitFor()
    assert.equal((await platform.run(runId)).state, 'succeeded')
    assert.deepEqual(server.accounts.at(-1), 'ada')

    await page.goto(`${platform.ready.url}/mcpgrants`)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('You have given no consent').waitFor()
    assert.equal((await platform.invoke('looping')).state, 'paused')
    assert.deepEqual(problems, [])
  },
)
