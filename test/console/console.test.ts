import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startEmbedded } from '../flows/platform/embedded.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { needsChromium, openBrowser } from './browser-session.ts'

const hostile = '<img src=x onerror="document.title=1"> \u202e\u0007 text'

test('a page is loaded when it is opened, and shows what its caller may read as text', needsChromium, async (t) => {
  const platform = await sharedEmbedded()
  const { url, tokens, send } = platform
  const bearer = tokens.developer
  const body = { agent: { namespace: 'demo', name: 'hello' }, input: 'for the console' }
  const made = await send({ method: 'POST', path: '/api/invoke', bearer, body })
  const { runId } = made.json<{ runId: string }>()
  const score = { runId, name: 'console', value: 5, comment: hostile.replaceAll('\u0007', '') }
  assert.equal((await send({ method: 'POST', path: '/api/feedback', bearer, body: score })).status, 202)

  const page = await openBrowser(t)
  await page.open(`${url}/`)
  await page.until(/Sign in to/)
  assert.ok(!page.requests.some((path) => path.startsWith('/api/')), 'nothing is asked before the sign-in')
  await page.submit('#token', 'not-a-token-of-this-cluster')
  await page.until(/Sign in to/)
  await page.submit('#token', bearer)
  await page.until(/Quality/)
  // A section that was never opened is folded.
  await page.click('nav [aria-expanded="false"]')
  await page.until(/Feedback/)
  assert.ok(!page.requests.some((path) => path.includes('feedback')), page.requests.join(' '))
  await page.click('nav a[href="/feedback"]')
  await page.until(/hello/)
  // A narrow window has no column of comments to see.
  assert.match(String(await page.evaluate(`document.querySelector('tbody').textContent`)), /onerror=/)
  assert.ok(
    page.requests.some((path) => /^\/assets\/feedback-page-\w+\.js$/.test(path)),
    page.requests.join(' '),
  )
  assert.ok(page.requests.includes('/api/feedback'))
  // The one refused request is that of the wrong token.
  assert.deepEqual(
    page.problems.filter((one) => !one.includes('401')),
    [],
  )
  // A reload keeps the session, and the address.
  await page.open(`${url}/feedback?agent=nothing`)
  await page.until(/Nothing matches/)
})

test('a page whose plugin is off says so, and its code is not loaded', needsChromium, async (t) => {
  const folder = tempFolder('console')
  t.after(() => folder.remove())
  const settings = join(folder.path, 'mesh.yaml')
  writeFileSync(settings, 'disable: [feedback]\n')
  const platform = await startEmbedded(t, { env: { MESH_CONFIG: settings } })
  const { url, tokens } = platform
  const page = await openBrowser(t)
  await page.open(`${url}/`)
  await page.until(/Sign in to/)
  await page.submit('#token', tokens.developer)
  await page.until(/Quality/)
  await page.click('nav [aria-expanded="false"]')
  await page.until(/Feedback/)
  await page.click('nav a[href="/feedback"]')
  await page.until(/This part of the installation is off/)
  const asked = page.requests.filter((path) => path.includes('feedback') && path !== '/feedback')
  assert.deepEqual(asked, [], 'neither code nor data')
  assert.deepEqual(page.problems, [])
})
