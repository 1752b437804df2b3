import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { toScoreBody } from '#plugins/feedback/console/run/typed-score.ts'
import { fillPath } from '#ui/kinds/declared/declaration.ts'
import { bodyOf } from '#ui/kinds/served-kind.ts'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgents, hostileWords } from './canned-agents.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedRunId, cannedRuns } from './canned-runs.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'
import { axeViolations, looks, openLook, startBrowser } from './look.ts'

test('a score is a decision or a number; empty fields are left out', () => {
  const typed = { kind: 'good', name: ' ', number: '', comment: ' Short. ' } as const
  assert.deepEqual(toScoreBody('r', typed), { runId: 'r', value: true, comment: 'Short.' })
  assert.deepEqual(toScoreBody('r', { ...typed, kind: 'bad', comment: '' }), { runId: 'r', value: false })
  const score = { ...typed, kind: 'score', name: 'stars' } as const
  assert.deepEqual(toScoreBody('r', { ...score, number: ' 4.5 ' }), {
    runId: 'r',
    value: 4.5,
    name: 'stars',
    comment: 'Short.',
  })
  for (const number of ['', ' ', 'four', '1e13', 'NaN', 'Infinity', '4,5'])
    assert.equal(toScoreBody('r', { ...score, number }), undefined, number)
})

test('a declared tab fills in the id of a run; a body is found by method and path', () => {
  assert.deepEqual(fillPath('/api/x/o/runs/{id}', { ns: undefined, name: undefined, id: '../a' }), [
    'x',
    'o',
    'runs',
    '../a',
  ])
  const content = { 'application/json': { schema: { type: 'object' } } }
  const document = { paths: { '/api/x/o/a': { post: { requestBody: { content } } } } }
  assert.deepEqual(bodyOf(document, { method: 'POST', path: '/api/x/o/a' })?.node, { type: 'object' })
  for (const path of ['/api/x/o/b', '__proto__']) assert.equal(bodyOf(document, { method: 'POST', path }), undefined)
  assert.equal(bodyOf(document, { method: 'DELETE', path: '/api/x/o/a' }), undefined)
})

const declaration = JSON.stringify({
  layout: 'detail',
  source: '/api/x/oncall/duty/{ns}/{name}',
  fields: [{ title: 'On duty', field: 'person' }],
  actions: [{ title: 'Hand over', method: 'POST', path: '/api/x/oncall/duty/{ns}/{name}/hand-over' }],
})
const integrity = `sha256-${createHash('sha256').update(declaration).digest('base64')}`

/** The shell with a tab of the plugin feedback, and one of a third party. */
function withTabs(api: CannedResponses): CannedResponses {
  const { pages, capabilities, ...shell } = api['/api/capabilities'] as {
    readonly pages: readonly object[]
    readonly capabilities: readonly object[]
  }
  const tabs = [
    {
      id: 'feedback.run',
      title: 'Feedback',
      section: 'Quality',
      path: '/feedback/run',
      capability: 'feedback',
      tabOf: 'run',
    },
    {
      id: 'oncall.duty',
      title: 'On duty',
      section: 'Connect',
      path: '/x/oncall/duty',
      capability: 'oncall',
      tabOf: 'agent',
      entry: { path: '/api/x/oncall/console/oncall.duty', integrity },
    },
    { id: 'off.run', title: 'Never', section: 'Connect', path: '/x/off', capability: 'off', tabOf: 'run' },
  ]
  const known = [...capabilities, { id: 'oncall', enabled: true }, { id: 'off', enabled: false, reason: 'denied' }]
  return { ...api, '/api/capabilities': { ...shell, pages: [...pages, ...tabs], capabilities: known } }
}

test(
  'a run has a tab of feedback: a score with a comment is sent, and what was said is shown',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const sent: CannedRequest[] = []
    const scores: object[] = []
    const feedback = answering((request) => {
      if (request.method === 'GET') return { status: 200, body: { items: scores, nextCursor: null } }
      sent.push(request)
      const { value, comment } = request.body as { readonly value: unknown; readonly comment?: string }
      if (comment === 'refuse') return { status: 403, body: { title: 'Forbidden', detail: 'You may not score runs.' } }
      scores.push({
        id: 'a',
        name: 'feedback',
        value,
        comment,
        createdBy: hostileWords,
        createdAt: '2026-11-24T08:00:00Z',
      })
      return { status: 202, body: { id: 'a' } }
    })
    const url = await serveConsole(t, files, withTabs({ ...cannedRuns, '/api/feedback': feedback }))
    const browser = await startBrowser(t)
    const giveScore = async (page: Page): Promise<void> => {
      scores.length = 0
      await page.getByText('Feedback', { exact: true }).first().click()
      await page.waitForURL(/view=feedback\.run/)
      const comment = page.getByRole('textbox', { name: /^Comment/ })
      await comment.fill('refuse')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('You may not').first().waitFor()
      assert.equal(await comment.inputValue(), 'refuse')
      await page.getByText('Bad', { exact: true }).click()
      await comment.fill(hostileWords)
      await page.keyboard.press('Control+Enter')
      // The toast of the look before may still be shown.
      await page.getByText('it is kept with the run').last().waitFor()
      await page.locator('li p.user-text').waitFor()
      assert.equal(await page.locator('img').count(), 0)
      assert.equal(await page.getByText('Never').count(), 0)
    }
    const isExpected = (problem: string): boolean => problem.includes('403')
    await checkLooks(browser, url, [[`/runs/${cannedRunId(3)}`, giveScore]], { isExpected })
    const { comment: _, ...rest } = Object(sent.at(-1)?.body) as { readonly comment?: string }
    assert.deepEqual(rest, { runId: cannedRunId(3), value: false })
  },
)

test('a third party has a tab on an agent, and an action with a form of its body', needsChromium, async (t) => {
  const files = await consoleFiles()
  const sent: CannedRequest[] = []
  const schema = {
    type: 'object',
    required: ['to'],
    properties: { to: { type: 'string', minLength: 1, description: 'Who takes over.' } },
  }
  const document = cannedAgents['/openapi.json'] as { readonly paths: object }
  const operation = { post: { requestBody: { content: { 'application/json': { schema } } } } }
  const url = await serveConsole(t, files, {
    ...withTabs(cannedAgents),
    '/openapi.json': {
      ...document,
      paths: { ...document.paths, '/api/x/oncall/duty/{ns}/{name}/hand-over': operation },
    },
    '/api/x/oncall/console/oncall.duty': JSON.parse(declaration) as object,
    '/api/x/oncall/duty/support/triage': { person: `ada ${hostileWords}` },
    '/api/x/oncall/duty/support/triage/hand-over': answering((request) => {
      sent.push(request)
      return { status: 200, body: {} }
    }),
  })
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/agents/support/triage#code=once`, looks[0]!)
  await page.getByRole('tab', { name: 'On duty' }).click()
  await page.waitForURL(/tab=oncall\.duty/)
  await page.getByText('ada <img').waitFor()
  await page.getByRole('button', { name: 'Hand over' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^To/ }).fill('grace')
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('button', { name: 'Hand over' }).click()
  await page.getByText('Done: Hand over').waitFor()
  assert.deepEqual(
    sent.map(({ body }) => body),
    [{ to: 'grace' }],
  )
  assert.deepEqual(problems, [])
})
