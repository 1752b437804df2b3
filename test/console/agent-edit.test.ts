import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { gateMarkOf } from '#plugins/agents/console/detail/versions/gate-mark.ts'
import { comparedVersions } from '#plugins/agents/console/detail/versions/compared-versions.ts'
import { toPromptTexts } from '#plugins/agents/console/detail/versions/to-prompt-texts.ts'
import { toSide } from '#plugins/agents/console/detail/versions/to-side.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import type { Scope } from '#test/harness/scope.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgent, cannedAgents, cannedRights, hostileWords, viewerRights } from './canned-agents.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { openEndingSession } from './canned-session.ts'
import { serveConsole } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const agent = '/agents/support/triage'

type Version = Parameters<typeof comparedVersions>[0][number]

test('two versions are compared: those of the address, else the newest with the one that serves', () => {
  const versions = [14, 13, 12].map((revision) => ({ revision, formerRevisions: [] })) as unknown as readonly Version[]
  const none = { from: undefined, to: undefined }
  assert.deepEqual(comparedVersions(versions, [14], none), { from: 13, to: 14 })
  assert.deepEqual(comparedVersions(versions, [12], none), { from: 12, to: 14 }, 'the newest is held back')
  assert.deepEqual(comparedVersions(versions, [], { from: '12', to: '13' }), { from: 12, to: 13 })
  assert.deepEqual(comparedVersions(versions, [], { from: '14', to: '12' }), { from: 14, to: 12 })
  assert.deepEqual(comparedVersions(versions, [], { from: '13', to: '13' }), { from: 12, to: 13 })
  assert.deepEqual(comparedVersions(versions, [], { from: '__proto__', to: '99' }), { from: 13, to: 14 })
  assert.equal(comparedVersions(versions.slice(0, 1), [], none), undefined)
  const sections = [
    { path: '/systemPrompt', from: 'a', to: hostileWords },
    { path: '/tools', to: [{ name: 'x' }] },
  ]
  assert.equal(toSide(sections, 'from'), 'systemPrompt: a\n')
  assert.match(toSide(sections, 'to'), /tools:\n {2}- name: x/)
})

test('two versions of one prompt can be compared as texts; another prompt, or one version, cannot', () => {
  const between = (from: unknown, to: unknown) => toPromptTexts([{ path: '/prompt', from, to }])
  const first = { name: 'greet', version: 1 }
  assert.deepEqual(between(first, { name: 'greet', version: 2 }), { name: 'greet', from: '1', to: '2' })
  for (const to of [first, { name: 'other', version: 2 }, { name: 'greet' }, { name: 'greet', version: '2' }, 'greet'])
    assert.equal(between(first, to), undefined)
  assert.equal(toPromptTexts([{ path: '/tools', from: first, to: first }]), undefined)
})

/** An API that keeps one agent with its version, as the cluster does. */
function keptAgent(can: object = cannedRights) {
  let version = 7
  const session = openEndingSession()
  let { spec } = cannedAgent('triage') as { readonly spec: object }
  const sent: CannedRequest[] = []
  let generation = 1
  const shown = ({ query }: CannedRequest): object => {
    const { metadata, stats, ...rest } = cannedAgent('triage') as { readonly metadata: object; readonly stats: object }
    const asked = query.has('include') ? { stats, can } : {}
    return { ...rest, ...asked, metadata: { ...metadata, resourceVersion: String(version), generation }, spec }
  }
  const answer = (request: CannedRequest): CannedAnswer => {
    if (request.method === 'GET') return { status: 200, body: shown(request) }
    sent.push(request)
    if (request.headers['if-match'] !== `"${version}"`)
      return { status: 412, body: { title: 'Changed meanwhile', detail: 'The version differs.' } }
    if (request.query.get('dryRun') === 'All') return { status: 200, body: request.body }
    ;({ spec } = request.body as { readonly spec: object })
    version += 1
    generation += 1
    return { status: 200, body: shown(request) }
  }
  const api: CannedResponses = {
    ...cannedAgents,
    '/session': session.handler,
    [`/api${agent}`]: session.guard(answer),
  }
  return {
    api,
    sent,
    specNow: () => spec as { readonly systemPrompt: string; readonly model: object },
    /** A controller writes the status. */
    touch: () => {
      version += 1
    },
    /** Another person changes the spec. */
    change: (next: object) => {
      version += 1
      generation += 1
      spec = { ...spec, ...next }
    },
    signOut: session.end,
  }
}

async function openEditor(t: Scope, api: CannedResponses) {
  const files = await consoleFiles()
  const url = await serveConsole(t, files, api)
  const browser = await startBrowser(t)
  const look = { scheme: 'light', width: 'wide' } as const
  const opened = await openLook(browser, `${url}${agent}#code=once`, look)
  return { url, ...opened }
}

const promptOf = (page: Page) => page.getByRole('textbox', { name: /^System prompt/ })

test('an agent is edited: dry run and changes first, a status in between is no conflict', needsChromium, async (t) => {
  const kept = keptAgent()
  const { page, problems } = await openEditor(t, kept.api)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.waitForURL(/tab=yaml/)
  await promptOf(page).fill('You sort tickets.')
  kept.touch()
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 replicas restart').waitFor()
  await dialog.locator('.cm-mergeView').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  assert.equal(kept.specNow().systemPrompt, hostileWords)
  kept.touch()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('triage was saved').waitFor()
  assert.equal(kept.specNow().systemPrompt, 'You sort tickets.')
  assert.deepEqual(
    kept.sent.map(({ query, headers }) => [query.get('dryRun'), headers['if-match']]),
    [
      ['All', '"7"'],
      ['All', '"8"'],
      [null, '"7"'],
      [null, '"9"'],
    ],
  )
  // What was asked for beside the object is not written into it.
  for (const { body } of kept.sent)
    assert.deepEqual(Object.keys(body as object).toSorted(), ['apiVersion', 'kind', 'metadata', 'spec'])
  assert.deepEqual(
    problems.filter((one) => !one.includes('412')),
    [],
  )
})

test('another person was faster: theirs, mine and the base, and nothing typed is lost', needsChromium, async (t) => {
  const kept = keptAgent()
  const { page } = await openEditor(t, kept.api)
  await page.getByRole('button', { name: 'Edit' }).click()
  await promptOf(page).fill('Mine')
  kept.change({ model: { route: 'theirs' } })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Someone else has changed it meanwhile').waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByText('triage was saved').waitFor()
  assert.deepEqual(kept.specNow(), { systemPrompt: 'Mine', model: { route: 'theirs' } })
})

test(
  'the session ends in the middle of an edit: what was typed stays, also after a reload',
  needsChromium,
  async (t) => {
    const kept = keptAgent()
    const { page, url } = await openEditor(t, kept.api)
    await page.getByRole('button', { name: 'Edit' }).click()
    await promptOf(page).fill('Typed before the end')
    kept.signOut()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#token').fill('a-token')
    await page.keyboard.press('Enter')
    await page.locator('#token').waitFor({ state: 'detached' })
    assert.equal(await promptOf(page).inputValue(), 'Typed before the end')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 replicas restart').waitFor()
    await page.keyboard.press('Escape')
    // Sign-in at an issuer leaves the page.
    const stored = 'JSON.stringify(Object.entries(sessionStorage))'
    while (!String(await page.evaluate(stored)).includes('Typed before the end')) await page.waitForTimeout(100)
    kept.change({ model: { route: 'theirs' } })
    page.on('dialog', (asked) => {
      asked.accept().catch(() => undefined)
    })
    await page.goto(`${url}${agent}?tab=yaml`)
    await page.getByText('Your draft was restored').waitFor()
    assert.equal(await promptOf(page).inputValue(), 'Typed before the end')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('triage was saved').waitFor()
    assert.deepEqual(kept.specNow(), { systemPrompt: 'Typed before the end', model: { route: 'theirs' } })
    while (String(await page.evaluate(stored)).includes('Typed before the end')) await page.waitForTimeout(100)
  },
)

test('who may not change an agent reads it as YAML', needsChromium, async (t) => {
  const kept = keptAgent(viewerRights)
  const { page, url } = await openEditor(t, kept.api)
  const edit = page.getByRole('button', { name: 'Edit' })
  assert.match((await edit.getAttribute('aria-description')) ?? '', /does not allow you to change/)
  await page.goto(`${url}${agent}?tab=yaml`)
  await page.getByText('does not allow you to change this agent').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
  await page.keyboard.press('Control+Enter')
  assert.deepEqual(kept.sent, [])
})

test('any two versions are compared, and a roll back leads to the older one', needsChromium, async (t) => {
  const { page, url } = await openEditor(t, keptAgent().api)
  await page.goto(`${url}${agent}?tab=versions`)
  await page.getByRole('button', { name: 'Preview roll back to r13' }).waitFor()
  await page.getByLabel('Compare').selectOption('12')
  await page.getByRole('button', { name: 'Preview roll back to r12' }).waitFor()
  await page.getByLabel('With').selectOption('13')
  await page.waitForURL(/from=12/)
  assert.match(page.url(), /to=13/)
  await page.getByRole('heading', { name: 'r12 → r13' }).waitFor()
  await page.waitForSelector('.cm-mergeView')
  assert.deepEqual(await axeViolations(page), [])
})

test('a version shows what the gate did with it', () => {
  const mark = (phase: string, override: object | null = null, of = 'bot-2') =>
    gateMarkOf({ name: 'bot-2', override } as never, { phase, score: 0.9, minScore: 0.8, revision: of } as never)
  assert.deepEqual(mark('Passed'), { state: 'Passed', words: 'passed: 0.90 of 0.80' })
  assert.deepEqual(mark('Running'), { state: 'Running', words: 'being scored' })
  for (const phase of ['Failed', 'Inconclusive', 'Error']) assert.equal(mark(phase)?.state, 'gated', phase)
  assert.equal(mark('Overridden')?.state, 'Overridden')
  assert.equal(mark('Failed', { by: 'ann', at: '', reason: '' })?.state, 'overridden')
  assert.equal(mark('Failed', { by: 'ann', at: '', reason: '' }, 'bot-3')?.state, 'overridden', 'of an older one too')
  assert.equal(mark('Failed', null, 'bot-3'), undefined)
})
