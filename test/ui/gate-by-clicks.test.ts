import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { long } from '#test/harness/counts.ts'
import { needsChromium } from '../console/browser-session.ts'
import { startBrowser, windowOf } from '../console/look.ts'
import { startEmbedded } from '../flows/platform/embedded.ts'
import * as walk from './gate-walk.ts'
import { signIn, untilShown, watchPage } from './open-console.ts'

// Where pictures of the walk go, for people to look at.
const pictures = process.env['MESH_PICTURES']
const good = 'You greet people in one friendly sentence.'
const bad = 'You greet people in one curt word.'
const said = [
  ['My name is Ada.', 'Welcome, Ada!'],
  ['Good morning!', 'Welcome! How can I help you?'],
  ['I have an appointment.', 'Welcome! Please take a seat.'],
] as const

async function show(page: Page, name: string): Promise<void> {
  await untilShown(page)
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `gate-${name}.png`) })
}

async function openAgent(page: Page, tab: string): Promise<void> {
  await walk.openPage(page, 'Build', 'Agents')
  await page.getByRole('gridcell', { name: 'reception' }).first().click()
  await walk.openTab(page, tab)
}

/** Three runs of a new agent, as labelled cases of a pin. */
async function makeDataset(page: Page): Promise<void> {
  await walk.openPage(page, 'Build', 'Prompts')
  await walk.writePrompt(page, good)
  await walk.openPage(page, 'Build', 'Agents')
  await walk.makeAgent(page)
  await walk.openTab(page, 'Playground')
  for (const [input, reply] of said) await walk.talk(page, input, reply)
  for (const [index] of said.entries()) {
    await openAgent(page, 'Runs')
    await page.locator(`tr[data-index="${index}"]`).click()
    await page.waitForURL(/\/runs\//)
    await walk.saveAsCase(page, index === 0)
  }
  await walk.openPage(page, 'Quality', 'Datasets')
  await page.getByRole('gridcell', { name: 'arrivals' }).first().click()
  await walk.openTab(page, 'Label')
  for (const [, reply] of said.toReversed()) await walk.judge(page, reply)
  await page.getByText('All cases have your label').waitFor()
  await show(page, 'labelled')
  await walk.pinCases(page)
  await show(page, 'pinned')
}

test(
  'by clicks only: runs become a dataset, a suite holds a worse prompt with its reason, and the fixed one serves',
  { skip: long ? needsChromium.skip : 'walks with --long', timeout: 600_000 },
  async (t) => {
    const platform = await startEmbedded(t)
    await walk.makeFrontDesk(platform)
    const browser = await startBrowser(t)
    const { page, problems } = await watchPage(await browser.newContext(windowOf({ scheme: 'light', width: 'wide' })))
    await signIn(page, platform, 'operator')
    await makeDataset(page)

    await walk.openPage(page, 'Quality', 'Evals')
    await walk.makeSuite(page)
    await show(page, 'suite')
    await openAgent(page, 'Overview')
    await walk.gateAgent(page)
    await walk.openTab(page, 'Score')
    await page.getByText('r2 serves').first().waitFor()
    await page.getByRole('gridcell', { name: '1.00' }).first().waitFor()
    await show(page, 'passed')

    await walk.changePrompt(page, 2, bad)
    await openAgent(page, 'Versions')
    await page.getByText('held by gate: 0.00 of 0.80').first().waitFor()
    await show(page, 'held')
    const texts = page.getByRole('link', { name: 'Compare the texts of the prompt' })
    await texts.click()
    await page.getByRole('heading', { name: 'v1 → v2' }).first().waitFor()
    await show(page, 'texts')
    await openAgent(page, 'Score')
    await page.getByText('r3 is held at zero traffic').first().waitFor()
    await page.getByText('Score 0.00, required 0.80.').first().waitFor()
    await page.getByText('r2 serves').first().waitFor()
    await show(page, 'score')
    await page.getByRole('main').getByRole('link', { name: 'welcoming' }).first().click()
    await page.getByText('3 cases regressed').first().waitFor()
    await page.getByRole('row').filter({ hasText: 'Regressed' }).first().click()
    const outputs = page.getByRole('heading', { name: 'Outputs' }).first()
    await outputs.waitFor()
    await show(page, 'sides')
    const { y = -1 } = (await outputs.boundingBox()) ?? {}
    assert.ok(y > 0 && y < 900, `the case that was opened is in view: ${y}`)
    await openAgent(page, 'Playground')
    await walk.talk(page, ...said[0])

    await walk.changePrompt(page, 3, `${good} It is short.`)
    await openAgent(page, 'Score')
    await page.getByText('r4 serves').first().waitFor()
    await page
      .getByRole('row', { name: /r4.*serves/ })
      .first()
      .waitFor()
    await show(page, 'served')
    await openAgent(page, 'Playground')
    await walk.talk(page, ...said[1])
    assert.deepEqual(problems, [])
  },
)
