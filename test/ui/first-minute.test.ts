import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { Scope } from '#test/harness/scope.ts'
import { endsWithParent } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { needsChromium } from '../console/browser-session.ts'
import { startBrowser, windowOf } from '../console/look.ts'
import { untilShown, watchPage } from './open-console.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Where pictures of the minute go, for people to look at.
const pictures = process.env['MESH_PICTURES']

/** `npm start` on an empty data folder, as a person reads it. Returns the address that signs in. */
async function startAsPrinted(t: Scope): Promise<string> {
  const folder = tempFolder('first-minute')
  t.after(() => folder.remove())
  const args = ['start', '--silent', '--', '--port', '0', '--data', join(folder.path, 'data')]
  const [file, ...rest] = endsWithParent({ program: 'npm', args }, 'TERM')
  const npm = spawn(file, rest, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(npm, 'exit')
  t.after(async () => {
    npm.kill('SIGTERM')
    await ended
  })
  for await (const line of createInterface({ input: npm.stdout })) {
    const [, address] = /^mesh is running at (\S+#code=\S+)$/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error('npm start ended without an address')
}

test('the first minute of a stranger: talk to an agent, and see its trace and its cost', needsChromium, async (t) => {
  const address = await startAsPrinted(t)
  const browser = await startBrowser(t)
  const { page, problems } = await watchPage(await browser.newContext(windowOf({ scheme: 'light', width: 'wide' })))
  const began = performance.now()
  let clicks = 0
  const click = async (chosen: ReturnType<Page['getByRole']>): Promise<void> => {
    await chosen.click()
    clicks += 1
  }
  const show = async (name: string): Promise<void> => {
    await untilShown(page)
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `first-minute-${name}.png`) })
  }
  await page.goto(address)
  await page.getByText('First steps').waitFor()
  await show('home')
  await click(page.getByRole('listitem').filter({ hasText: 'Talk to an agent' }).getByRole('button', { name: 'Start' }))
  await page.waitForURL(/\/agents$/)
  await show('agents')
  await click(page.getByRole('gridcell', { name: 'hello' }).first())
  await page.waitForURL(/\/agents\/demo\/hello/)
  await click(page.getByRole('tab', { name: 'Playground' }))
  await page.getByRole('textbox', { name: 'Message hello' }).fill('My name is Ada.')
  await click(page.getByRole('button', { name: 'Send' }))
  const side = page.getByRole('complementary', { name: 'Run' })
  await side.getByText('Succeeded').first().waitFor()
  await side.getByRole('row').nth(2).waitFor()
  await side
    .getByText(/\$0(?:\.\d+)?/)
    .first()
    .waitFor()
  await page
    .getByText(/MOCK_OK/)
    .first()
    .waitFor()
  await show('playground')
  t.diagnostic(`${clicks} clicks, ${Math.round(performance.now() - began)} ms after the address`)
  assert.ok(clicks <= 4, `${clicks} clicks`)
  assert.deepEqual(problems, [])
})
