import assert from 'node:assert/strict'
import test from 'node:test'
import type { Recipe } from '#schemas/api/templates.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { filterCatalog, ofRecipe, ofTemplate, tagsOf } from '../../plugins/templates/console/catalog.ts'
import { needsChromium } from './browser-session.ts'
import { hostileWords } from './canned-agents.ts'
import { checkLooks } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const recipe = { id: 'hello', title: 'Greeter', description: 'Greets.', tags: ['start'], config: {}, tryInput: 'Hi' }
const published = {
  metadata: {
    name: 'triage',
    namespace: 'support',
    annotations: { 'mesh.dev/published-from': 'AgentDeployment/support/triage' },
  },
  spec: { title: hostileWords, description: hostileWords, tags: ['tickets', 'start'], template: { spec: {} } },
}
const team = {
  metadata: { name: 'team', namespace: 'x'.repeat(63) },
  spec: { for: 'team', title: 'A team', tags: Array.from({ length: 32 }, (_, index) => `tag-${index}`), template: {} },
}
const api = {
  ...cannedShell,
  '/api/recipes': { items: [recipe], nextCursor: null },
  '/api/templates': { items: [published, team], nextCursor: 'more' },
}

test('recipes and templates are entries of one catalog', () => {
  const entries = [
    ofRecipe(recipe as Recipe),
    ...[published, team, { metadata: { name: 'bare' } }].map((one) =>
      ofTemplate(one as unknown as AgentTemplateObject),
    ),
  ]
  assert.deepEqual(
    entries.map(({ id, kind, publishedFrom }) => [id, kind, publishedFrom]),
    [
      ['recipe:hello', 'agent', undefined],
      ['template:support/triage', 'agent', 'support/triage'],
      [`template:${'x'.repeat(63)}/team`, 'team', undefined],
      ['template:/bare', 'agent', undefined],
    ],
  )
  const none = { q: undefined, tag: undefined, source: undefined }
  const titles = (filter: object): readonly string[] =>
    filterCatalog(entries, { ...none, ...filter }).map(({ title }) => title)
  assert.equal(titles({}).length, 4)
  assert.deepEqual(titles({ q: 'GREET  start' }), ['Greeter'])
  assert.deepEqual(titles({ tag: 'tickets' }), [hostileWords])
  assert.deepEqual(titles({ source: 'recipe' }), ['Greeter'])
  assert.deepEqual(titles({ q: '.*' }), [])
  assert.deepEqual(tagsOf(entries).slice(0, 2), ['start', 'tag-0'])
})

test(
  'the catalog: no violation, no sideways scroll; an entry opens the page that makes an agent',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, await packed, api)
    const browser = await startBrowser(t)
    await checkLooks(browser, url, [['/templates', 'text=Greeter']])
    const { page } = await openLook(browser, `${url}/templates`, { scheme: 'light', width: 'phone' })
    await page.getByRole('button', { name: 'Use Greeter' }).click()
    await page.waitForURL(/\/agents\/new\?from=recipe%3Ahello/)
  },
)

test('a part of the catalog that is refused leaves the other', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const url = await serveConsole(t, await packed, { ...api, '/api/templates': 403 })
  const { page } = await openLook(browser, `${url}/templates`, { scheme: 'light', width: 'wide' })
  await page.waitForSelector('text=Templates cannot be read')
  assert.ok(await page.isVisible('text=Greeter'))
  await page.fill('input[type="search"]', 'nothing of this')
  await page.waitForSelector('text=Nothing matches')
})
