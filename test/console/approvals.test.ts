import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { cannedApprovals, hostile } from './canned-approvals.ts'
import { checkLooks } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const approve = 'button:has-text("Approve")'

async function untilTitle(page: Page, words: string): Promise<void> {
  await page.waitForSelector(`section h2:has-text("${words}")`)
  // Shorter than that, a press is taken for one of the decision before.
  await page.waitForTimeout(350)
}

test(
  'the queue and a decision in each look: no violation, nothing sideways, text as text',
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const { api } = cannedApprovals()
    const url = await serveConsole(t, await packed, { ...cannedShell, ...api })
    const paths = [
      ['/approvals?item=run-3', 'section h2'],
      ['/approvals', 'section h2'],
      ['/approvals?item=run-2%2Fi2', 'section h2'],
      ['/approvals?item=none', 'h2:has-text("not known")'],
    ] as const
    await checkLooks(browser, url, paths, {
      check: async (shown) => assert.equal(await shown.locator('main img').count(), 0),
      isExpected: (problem) => problem.includes('404'),
    })
    const { page } = await openLook(browser, `${url}/approvals?item=run-3`, { scheme: 'light', width: 'wide' })
    await page.waitForSelector('section h2')
    assert.ok((await page.locator('section h2').textContent())?.includes(hostile))
  },
)

test(
  'a key focuses Approve, Enter decides, and a press for one decision never decides the next',
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const { api, sent } = cannedApprovals()
    const url = await serveConsole(t, await packed, { ...cannedShell, ...api })
    const { page } = await openLook(browser, `${url}/approvals`, { scheme: 'light', width: 'wide' })
    await untilTitle(page, 'deploy.rollback')
    await page.keyboard.press('a')
    await page.waitForSelector('button:focus:has-text("press Enter")')
    assert.deepEqual(sent, [])
    for (const _ of [1, 2, 3]) await page.keyboard.press('Enter')
    await untilTitle(page, 'payments.refund')
    assert.deepEqual(sent, [{ run: 'run-0', interruptId: 'i0', decision: 'approve' }])
    assert.equal(await page.locator('li button').count(), 4)

    // The decision of run 1 is made meanwhile: the page says by whom, and goes on.
    await page.click(approve)
    await page.waitForSelector('text=Approved by another person')
    await page.waitForSelector('text=grace@example.com')
    await page.click('button:has-text("Next decision")')
    await untilTitle(page, 'Answer a question')
    await page.click('button:has-text("Send the answer")')
    await page.waitForSelector('text=Write an answer.')
    await page.fill('textarea', 'October')
    await page.click('button:has-text("Send the answer")', { clickCount: 3 })
    await untilTitle(page, 'Call')
    assert.deepEqual(sent.slice(2), [{ run: 'run-2', interruptId: 'i2', payload: 'October' }])
  },
)

test('a rejection needs a reason; several are rejected with one, and never approved', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const { api, sent } = cannedApprovals()
  const url = await serveConsole(t, await packed, { ...cannedShell, ...api })
  const { page } = await openLook(browser, `${url}/approvals?item=run-3`, { scheme: 'dark', width: 'wide' })
  await untilTitle(page, 'Call')
  await page.keyboard.press('r')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=Write a reason to reject.')
  await page.fill('input[aria-label="Reason"]', 'not now')
  await page.keyboard.press('Enter')
  await untilTitle(page, 'Give a consent')
  // No approval of another person helps: the way to the consent is shown, built of names.
  const way = page.getByRole('link', { name: 'Grant access' })
  assert.equal(await way.getAttribute('href'), '/consent/demo/calendar?run=run-4')
  assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
  assert.deepEqual(sent, [
    { run: 'run-3', interruptId: 'i3', decision: 'reject', reason: 'not now', onReject: 'answer' },
  ])
  await page.focus('li button[aria-current="true"]')
  await page.keyboard.press(' ')
  await page.keyboard.press('k')
  await page.keyboard.press(' ')
  await page.waitForSelector('text=2 selected')
  await page.click('button:has-text("Reject") >> nth=0')
  await page.fill('dialog input', 'all of them')
  await page.click('dialog button:has-text("Reject")')
  await page.waitForSelector('dialog', { state: 'detached' })
  assert.deepEqual(
    sent.slice(1).map(({ run, decision, reason }) => [run, decision, reason]),
    [
      ['run-2', 'reject', 'all of them'],
      ['run-4', 'reject', 'all of them'],
    ],
  )
})

test('no decision, a denied list and a failed one', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  for (const [runs, words] of [
    [{ items: [], nextCursor: null }, 'Nothing waits for a decision'],
    [403, 'You may not see this page'],
    [500, 'Refused.'],
  ] as const) {
    const url = await serveConsole(t, await packed, { ...cannedShell, '/api/runs': runs })
    const { page } = await openLook(browser, `${url}/approvals`, { scheme: 'light', width: 'phone' })
    await page.waitForSelector(`text=${words}`)
    assert.deepEqual(await axeViolations(page), [])
    await page.context().close()
  }
})
