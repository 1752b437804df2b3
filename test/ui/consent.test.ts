import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { startAuthorizationServer } from '#plugins/mcp/testing/authorization-server.ts'
import { startProtectedServer } from '#plugins/mcp/testing/protected-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { needsChromium } from '../console/browser-session.ts'
import { startBrowser } from '../console/look.ts'
import { addConsentedAgents, startForConsents } from '../flows/platform/consents.ts'
import { signIn, watchPage } from './open-console.ts'

test(
  'a person consents in the browser, the run that waited finishes, and a revocation ends the consent',
  needsChromium,
  async (t) => {
    const folder = tempFolder('consent-ui')
    t.after(folder.remove)
    const at = await startAuthorizationServer(t, { account: 'root' })
    const server = await startProtectedServer(t, at)
    const platform = await startForConsents(t, join(folder.path, 'data'))
    await addConsentedAgents(platform, server.url, [{ name: 'looping', model: { route: 'script' } }])
    at.as('ada')
    const { runId, state } = await platform.invoke('looping')
    assert.equal(state, 'paused')

    const browser = await startBrowser(t)
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
