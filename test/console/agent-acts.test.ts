import assert from 'node:assert/strict'
import test from 'node:test'
import type { Browser } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import type { Scope } from '#test/harness/scope.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgent, cannedAgents, cannedRunId, hostileWords, streamOf, viewerRights } from './canned-agents.ts'
import { openEvents } from './canned-events.ts'
import { cannedBody, serveConsole } from './fake-console.ts'
import type { CannedHandler, CannedResponses } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'
import { askingEvents } from './played-events.ts'

const packed = consoleFiles()
const agent = '/agents/support/triage'
const wide = { scheme: 'light', width: 'wide' } as const

async function openPage(t: Scope, browser: Browser, given: { path: string; api?: CannedResponses }) {
  const url = await serveConsole(t, await packed, { ...cannedAgents, ...given.api })
  const { page } = await openLook(browser, url + given.path, wide)
  return page
}

test('what is refused, missing, busy or broken has its own state', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const states: readonly (readonly [string, string, number, string])[] = [
    ['/agents', '/api/agents', 403, 'You may not see this page'],
    ['/agents', '/api/agents', 429, 'Try again'],
    [agent, '/api/agents/support/triage', 404, 'Try again'],
    [agent, '/api/agents/support/triage', 403, 'You may not see this page'],
    [agent, '/api/usedby', 500, 'The fake API has no such response.'],
    [`${agent}?tab=logs`, '/api/agents/support/triage/logs', 403, 'You may not see this page'],
    [`${agent}?tab=versions`, '/api/agents/support/triage/versions', 501, 'not configured'],
    [`${agent}?tab=memory`, '/api/agents/support/triage/memory', 409, 'Try again'],
  ]
  for (const [path, asked, status, shown] of states) {
    const page = await openPage(t, browser, { path, api: { [asked]: status } })
    await page.waitForSelector(`text=${shown}`)
    await page.context().close()
  }
})

test('an agent that is deleted meanwhile leaves its data and a strip', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  let isGone = false
  const handler: CannedHandler = (_, response) => {
    const body = isGone ? { status: 404, title: 'Gone.', detail: 'It is gone.' } : cannedAgent('triage')
    response.writeHead(isGone ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const events = openEvents()
  const api = { '/api/agents/support/triage': handler, '/api/events': events.handler }
  const page = await openPage(t, browser, { path: agent, api })
  await page.waitForSelector('text=Conditions')
  await page.waitForSelector('text=Live')
  isGone = true
  events.send({ type: 'dev.mesh.cluster.deleted.v1', subject: 'support/AgentDeployment/triage' })
  await page.waitForSelector('text=This agent was deleted', { timeout: 10_000 })
  assert.ok(await page.isVisible('text=Conditions'))
  assert.equal(await page.locator('button:has-text("Talk")').getAttribute('aria-disabled'), 'true')
})

test('a viewer sees why not: sending, deleting, rolling back', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const api = { '/api/agents/support/triage': cannedAgent('triage', { can: viewerRights }) }
  const page = await openPage(t, browser, { path: `${agent}?tab=playground`, api })
  await page.fill('textarea', 'Hi')
  const send = page.locator('button[type="button"]:has-text("Send")')
  assert.match((await send.getAttribute('aria-description')) ?? '', /does not allow you to start runs/)
  await page.click('button[aria-label="More actions"]')
  const remove = page.locator('[role="menuitem"]:has-text("Delete")')
  assert.match((await remove.getAttribute('aria-description')) ?? '', /does not allow you to delete/)
  await remove.click({ force: true })
  assert.equal(await page.locator('dialog').count(), 0)
})

test(
  'a message is sent by keys, its answer streams, and a decision is taken in its place',
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const decided: string[] = []
    const resume: CannedHandler = (request, response) => {
      request.on('data', (chunk: Buffer) => decided.push(String(chunk)))
      request.on('end', () => response.writeHead(202).end())
    }
    const api = {
      [`/api/runs/${cannedRunId}/events`]: streamOf(askingEvents, false),
      [`/api/runs/${cannedRunId}/resume`]: resume,
    }
    const page = await openPage(t, browser, { path: `${agent}?tab=playground`, api })
    await page.fill('textarea', hostileWords)
    await page.keyboard.press('Control+Enter')
    await page.waitForSelector('text=May it call calculate?')
    assert.equal(await page.inputValue('textarea'), '')
    assert.match(page.url(), /conversation=talk-1/)
    assert.equal(await page.locator('[role="treegrid"] [role="row"]').count(), 4)
    assert.deepEqual(await axeViolations(page), [])
    await page.click('button:has-text("Approve")')
    await page.waitForSelector('button[aria-busy="true"]:has-text("Approve")')
    assert.deepEqual(
      decided.map((body) => JSON.parse(body) as unknown),
      [{ interruptId: 'int_1', decision: 'approve' }],
    )
  },
)

test(
  'what was typed stays when the server refuses it; a cut stream goes on after its last entry',
  needsChromium,
  async (t) => {
    const browser = await startBrowser(t)
    const after: (string | undefined)[] = []
    const events: CannedHandler = (request, response) => {
      after.push(request.headers['last-event-id'] as string | undefined)
      const isFirst = request.headers['last-event-id'] === undefined
      streamOf(isFirst ? askingEvents.slice(0, 3) : askingEvents.slice(3), false)(request, response)
      if (isFirst) setTimeout(() => response.destroy(), 300)
    }
    const refusal = { status: 429, title: 'Busy.', detail: 'Too many runs.' }
    let isBusy = true
    const create: CannedHandler = (request, response) => {
      if (!isBusy) return (cannedAgents['/api/runs'] as CannedHandler)(request, response)
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end(JSON.stringify(refusal))
    }
    const api = { '/api/runs': create, [`/api/runs/${cannedRunId}/events`]: events }
    const page = await openPage(t, browser, { path: `${agent}?tab=playground&input=Hello`, api })
    await page.click('button:has-text("Send")')
    await page.waitForSelector('text=Too many runs. The server asks to wait for 7 s.')
    assert.equal(await page.inputValue('textarea'), 'Hello')
    isBusy = false
    await page.click('button:has-text("Send")')
    await page.waitForSelector('text=May it call calculate?')
    // A busy browser may not have read the first entries before the cut.
    assert.deepEqual(new Set(after), new Set([undefined, '3']))
  },
)

test('deleting asks for the name and says what breaks; rolling back shows what changes', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const page = await openPage(t, browser, { path: `${agent}?tab=versions` })
  await page.click('button:has-text("Preview roll back to r13")')
  await page.waitForSelector('dialog >> text=2 replicas restart')
  await page.keyboard.press('Escape')
  await page.click('button[aria-label="More actions"]')
  await page.click('[role="menuitem"]:has-text("Delete")')
  await page.waitForSelector('dialog >> text=support/nightly')
  assert.equal(await page.locator('dialog button:has-text("Delete the agent")').getAttribute('aria-disabled'), 'true')
  await page.fill('dialog input', 'triage')
  assert.equal(await page.locator('dialog button:has-text("Delete the agent")').getAttribute('aria-disabled'), null)
  assert.deepEqual(await axeViolations(page), [])
})

test('versions show what the gate did with each, and who overrode it', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const page = await openPage(t, browser, { path: `${agent}?tab=versions` })
  const versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem')
  await versions.nth(2).waitFor()
  const [held = '', overridden = '', other = ''] = await versions.allTextContents()
  assert.match(held, /held by gate: 0\.40 of 0\.80/)
  assert.match(overridden, /gate overridden.*overridden by ann@example\.com/s)
  assert.ok(overridden.includes(hostileWords), 'with its reason')
  assert.doesNotMatch(other, /overridden|held/)
  assert.deepEqual(await axeViolations(page), [])
})

test('the list of agents is filtered by state, and scores below the threshold are marked', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const asked: (string | null)[] = []
  const held = { evalGate: { phase: 'Failed', score: 0.4, minScore: 0.8, revision: 'r' } }
  const api = {
    '/api/agents': cannedBody(({ url = '' }) => {
      asked.push(new URL(url, 'http://x').searchParams.get('condition'))
      return { items: [cannedAgent('triage', { status: held }), cannedAgent('other')], nextCursor: null }
    }),
  }
  const page = await openPage(t, browser, { path: '/agents', api })
  await page.getByRole('row', { name: 'triage' }).getByText('0.40').waitFor()
  await page.getByRole('button', { name: 'State' }).click()
  await page.getByRole('button', { name: 'Held by gate' }).click()
  await page.waitForURL(/condition=EvalGated/)
  await page.getByRole('button', { name: 'Remove filter: State' }).waitFor()
  for (const end = Date.now() + 10_000; asked.at(-1) !== 'EvalGated' && Date.now() < end;) await page.waitForTimeout(50)
  assert.deepEqual([asked[0], asked.at(-1)], [null, 'EvalGated'])
  assert.deepEqual(await axeViolations(page), [])
})
