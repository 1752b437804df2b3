import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { PARTS_PROGRAM, packConsole } from '../../scripts/console/pack-console.ts'
import { needsChromium } from './browser-session.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = packConsole(fileURLToPath(new URL('../../', import.meta.url)), PARTS_PROGRAM)

test('documents are edited, checked and compared under the policy of production, by keys', needsChromium, async (t) => {
  const { files } = await packed
  const url = await serveConsole(t, files)
  const browser = await startBrowser(t)
  const open = async (part: string): Promise<Page> => {
    const { page, problems } = await openLook(browser, `${url}/parts?part=${part}`, { scheme: 'dark', width: 'wide' })
    await page.waitForSelector(part === 'SchemaForm' ? '[role="form"]' : '.cm-content')
    t.after(() => assert.deepEqual(problems, []))
    return page
  }
  const sheets = 'document.querySelectorAll("style").length'

  const editors = await open('YamlEditor')
  const first = editors.getByRole('textbox', { name: 'Edited document' }).first()
  await first.click()
  await editors.keyboard.press('Control+Home')
  // A letter in the editor is no key of the page, and Tab leaves it.
  await editors.keyboard.type('g: 1\nh: [')
  const status = editors.getByRole('status').first()
  await editors
    .getByRole('status')
    .filter({ hasText: /\d problem/ })
    .first()
    .waitFor()
  assert.match(await editors.getByRole('listitem').first().innerText(), /^Line \d/)
  await editors.keyboard.press('Control+Enter')
  await status.filter({ hasText: 'No problems' }).waitFor()
  assert.match(await first.innerText(), /^# Limits of the team/)
  assert.equal(await status.innerText(), 'No problems')
  await editors.keyboard.press('Tab')
  assert.equal(await editors.evaluate('document.activeElement === document.querySelector("[data-editor]")'), false)
  assert.equal(await editors.evaluate(sheets), 0)
  assert.match(await editors.locator('[data-part="YamlEditor"]').innerText(), /quota\.window: is too long/)

  const diffs = await open('Diff')
  await diffs.waitForSelector('.cm-changedText')
  const changed = diffs.getByRole('region', { name: 'r12 → r14' })
  assert.match(await changed.innerText(), /2 lines added, 3 removed/)
  assert.deepEqual(await changed.getByRole('list', { name: 'Changed fields' }).getByRole('listitem').allInnerTexts(), [
    '/spec/namespaces/2 added to "שירות"',
    '/spec/quota/concurrency changed from 12 to 40',
    '/spec/colour removed from "violet"',
  ])
  const large = diffs.getByRole('region', { name: 'large' })
  const folded = large.getByText('unchanged lines, Enter shows them')
  assert.equal(await folded.count(), 4)
  await large.getByRole('textbox').first().focus()
  await diffs.keyboard.press('Enter')
  await folded.first().waitFor({ state: 'detached' })
  assert.equal(await folded.count(), 0, 'both sides show them')
  assert.equal(await diffs.evaluate(sheets), 0)
  assert.deepEqual(await axeViolations(diffs, ['landmark-unique', 'page-has-heading-one', 'heading-order']), [])
})

test('a form patches its document, and says what it cannot show', needsChromium, async (t) => {
  const { files } = await packed
  const url = await serveConsole(t, files)
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/parts?part=SchemaForm`, {
    scheme: 'light',
    width: 'phone',
  })
  const form = page.getByRole('form', { name: 'Tenant' }).first()
  // The editor is loaded before the form knows its document.
  await form.getByText('spec.colour').waitFor()
  assert.match(await form.innerText(), /Only in YAML[\s\S]*spec\.colour/)
  const concurrency = form.getByRole('textbox', { name: /^Concurrency/ })
  await concurrency.fill('1.')
  assert.match(await form.innerText(), /must be a whole number/)
  await concurrency.fill('19')
  assert.equal(await form.getByRole('alert').count(), 0)
  await form.getByRole('button', { name: 'Add to Namespaces' }).click()
  assert.match(await form.innerText(), /must have at most 2 entries/)
  await form.getByRole('button', { name: 'Remove Namespaces 3' }).click()
  const extra = form.getByRole('textbox', { name: /^Extra/ }).first()
  await extra.fill('values: [')
  assert.match(await form.innerText(), /must be the YAML of an object/)
  await extra.fill('values: [ a,  b ] # both')
  assert.equal(await form.getByRole('alert').count(), 0)
  await extra.blur()
  assert.equal(await extra.inputValue(), 'values:\n  - a\n  - b\n', 'as the document has it')
  // A schema that contains itself is as deep as one opens it.
  for (const _ of [1, 2, 3])
    await form
      .getByRole('button', { name: /^Parent/ })
      .last()
      .click()
  assert.equal(await form.getByRole('button', { name: /^Parent/ }).count(), 4)
  const broken = page.getByRole('form').nth(1)
  assert.match(await broken.innerText(), /read-only\. See line 3/)
  assert.deepEqual(problems, [])
})
