import assert from 'node:assert/strict'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedEvals, cannedEvaluation, cannedScoreTab } from './canned-evals.ts'
import { checkLooks, requestsOf } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test(
  'an agent has a tab of scores: what its gate holds and why, and scores in production',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, await packed, cannedScoreTab)
    const browser = await startBrowser(t)
    await checkLooks(browser, url, [['/agents/support/triage?tab=evals.agent', 'text=r3 is held at zero traffic']])
    const { page } = await openLook(browser, `${url}/agents/support/triage?tab=evals.agent`, wide)
    await page.getByText('r2 serves').waitFor()
    await page.getByText('Score 0.50, required 0.80.').waitFor()
    assert.equal(await page.getByText('was evaluated by polite').count(), 0, 'the reason stands there once')
    await page.getByText('cap on the cost of the judge: 3').waitFor()
    assert.equal(await page.locator('img').count(), 0)
    assert.ok((await requestsOf(page)).length <= 6, String(await requestsOf(page)))
    const without = { ...cannedScoreTab, '/api/agents/support/triage/online-score': 404 }
    await page.goto(`${await serveConsole(t, await packed, without)}/agents/support/triage?tab=evals.agent`)
    await page.getByText('does not score runs in production').waitFor()
  },
)

test('a suite is run, and a gate is overridden with a reason; a refusal names the verb', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const at = '/api/evalsuites/demo/polite'
  const url = await serveConsole(t, await packed, {
    ...cannedEvals,
    [`${at}/runs`]: answering((request) => {
      sent.push(request)
      return { status: 202, body: { ...cannedEvaluation.evaluation, phase: 'Pending', revision: 3 } }
    }),
    [`${at}/override`]: answering((request) => {
      sent.push(request)
      const detail = 'User "dev" cannot override resource "evalsuites"'
      return sent.length < 3
        ? { status: 403, body: { status: 403, code: 'forbidden', title: 'Forbidden', detail } }
        : { status: 200, body: { agent: 'triage', revision: 3, reason: 'Checked.', by: 'ada', at: '' } }
    }),
  })
  const { page, problems } = await openLook(await startBrowser(t), `${url}/evals/demo/polite`, wide)
  const card = page.getByRole('region', { name: 'r3 of triage' })
  await card.getByText('It takes no request', { exact: false }).or(card.getByText('takes no request')).first().waitFor()
  assert.ok((await requestsOf(page)).length <= 6, String(await requestsOf(page)))
  await card.getByRole('button', { name: 'Run' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Revision').fill('x')
  await dialog.getByRole('button', { name: 'Run' }).click()
  await dialog.getByText('Enter the number of a revision.').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByLabel('Revision').fill('3')
  await dialog.getByRole('button', { name: 'Run' }).click()
  await page.getByText('r3 is being scored').waitFor()
  await card.getByRole('button', { name: 'Override' }).click()
  await dialog.getByLabel('Reason').fill('Checked by hand.')
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('button', { name: 'Override the gate' }).click()
  await dialog.getByText('cannot override').waitFor()
  await dialog.getByRole('button', { name: 'Override the gate' }).click()
  await page.getByText('r3 may serve').waitFor()
  assert.deepEqual(
    sent.map(({ body }) => body),
    [
      { agent: 'triage', revision: 3 },
      { agent: 'triage', revision: 3, reason: 'Checked by hand.' },
      { agent: 'triage', revision: 3, reason: 'Checked by hand.' },
    ],
  )
  assert.ok(problems.every((problem) => problem.includes('403')))
})
