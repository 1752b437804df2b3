import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '#test/harness/free-port.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from '../flows/platform/embedded.ts'
import { needsChromium } from './browser-session.ts'
import { startBrowser } from './look.ts'

const json = { 'content-type': 'application/json' }

/** Sends as a developer, and returns the body of the response. */
async function post(url: string, token: string, path: string, body: object): Promise<{ readonly runId?: string }> {
  const headers = { ...json, authorization: `Bearer ${token}` }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.ok(response.ok, `${path}: ${response.status}`)
  return (await response.json()) as { readonly runId?: string }
}

/** The streams that a page has asked for. */
function streamsOf(page: Page): readonly string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') asked.push(request.url())
  })
  return asked
}

test('two tabs have one stream, and lose nothing when the server is restarted', needsChromium, async (t) => {
  const folder = tempFolder('live')
  t.after(folder.remove)
  const data = join(folder.path, 'data')
  const flags = ['--port', String(await freePort())]
  const first = await startAll(t, data, { flags })
  const { url, tokens } = first.ready
  const agent = { namespace: 'demo', name: 'hello' }
  const { runId } = await post(url, tokens.developer, '/api/invoke', { agent, input: 'for the stream' })
  const score = (name: string) => post(url, tokens.developer, '/api/feedback', { runId, name, value: 5 })

  const context = await (await startBrowser(t)).newContext()
  const pages = [await context.newPage(), await context.newPage()] as const
  const streams = pages.map(streamsOf)
  await pages[0].goto(`${url}/feedback`)
  await pages[0].fill('#token', tokens.developer)
  await pages[0].keyboard.press('Enter')
  await pages[0].getByText('No feedback yet').waitFor()
  await pages[1].goto(`${url}/feedback`)
  await pages[1].getByText('No feedback yet').waitFor()
  await score('before-the-restart')
  for (const page of pages) await page.getByText('before-the-restart').waitFor()
  assert.equal(streams.flat().length, 1, streams.flat().join('\n'))
  assert.doesNotMatch(streams.flat()[0] ?? '', /after=/)

  await first.server.end('SIGTERM')
  await startAll(t, data, { flags })
  // Before the browser has found the server again.
  await score('after-the-restart')
  for (const page of pages) await page.getByText('after-the-restart').waitFor()
  assert.match(streams.flat().at(-1) ?? '', /after=\d{6}-\d{20}/)
  // The tab that reads ends: another one continues.
  await pages[0].close()
  await score('by-the-other-tab')
  await pages[1].getByText('by-the-other-tab').waitFor()
  assert.match(streams[1]?.at(-1) ?? '', /after=\d{6}-\d{20}/)
})
