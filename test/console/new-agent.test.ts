import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { withSecretsOf, withoutSecrets } from '#ui/kinds/document/draft-store.ts'
import { copiedMetadata, sourceOf } from '#plugins/agents/console/new/agent-source.ts'
import { toBody, toDocumentFields } from '#plugins/agents/console/new/draft-body.ts'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { checkLooks } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as object

test('a source of an address is one of five, with its id', () => {
  assert.deepEqual(sourceOf('recipe:hello'), { kind: 'recipe', id: 'hello' })
  assert.deepEqual(sourceOf('fork:demo/hello'), { kind: 'fork', id: 'demo/hello' })
  assert.deepEqual(sourceOf('prompt'), { kind: 'prompt', id: '' })
  for (const from of [undefined, '', 'recipe', 'fork:demo', 'fork:a/b/c', 'other:x', `recipe:${'x'.repeat(401)}`])
    assert.equal(sourceOf(from), undefined, String(from))
})

test('a kept draft has no secrets: variables, and what is named like one', () => {
  const yaml = `name: a
runtime:
  env: {PLAIN: value-1, LOG: value-2}
  command: [node, a.js]
pod:
  env:
    - name: KEPT_NAME
      value: value-3
    - name: B
      valueFrom: {secretKeyRef: {name: kept-secret, key: token}}
secrets: [kept-binding]
apiKey: value-4
nested: {dbPassword: value-5, title: kept title}
`
  const kept = withoutSecrets(yaml) ?? ''
  assert.doesNotMatch(kept, /value-\d/)
  for (const word of ['PLAIN', 'KEPT_NAME', 'kept-secret', 'kept-binding', 'kept title', 'node, a.js'])
    assert.ok(kept.includes(word), `${word}: ${kept}`)
  assert.equal(withoutSecrets('a: [1'), undefined)
  // An edit has them again, also in a list whose entries moved.
  const moved = kept
    .replace('env: {PLAIN', 'env: {NEW: "", PLAIN')
    .replace('    - name: KEPT_NAME', '    - name: FIRST\n      value: ""\n    - name: KEPT_NAME')
  const again = withSecretsOf(moved, yaml)
  for (const [name, value] of [
    ['PLAIN', 'value-1'],
    ['LOG', 'value-2'],
    ['apiKey', 'value-4'],
    ['dbPassword', 'value-5'],
  ])
    assert.match(again, new RegExp(`${name}: "?${value}`))
  assert.match(again, /name: FIRST\n +value: ""\n +- name: KEPT_NAME\n +value: "?value-3/)
})

test('the body is the object, or the simplified format with its namespace; refused fields are those of the document', () => {
  assert.deepEqual(toBody({ name: 'a' }, 'demo'), { namespace: 'demo', config: { name: 'a' } })
  assert.deepEqual(toBody({ name: 'a', namespace: 'own' }, 'demo'), {
    namespace: 'own',
    config: { name: 'a', namespace: 'own' },
  })
  assert.deepEqual(toBody({ kind: 'AgentDeployment' }, 'demo'), { kind: 'AgentDeployment' })
  const errors = [
    { pointer: '/config/model', detail: 'x' },
    { pointer: '/configs', detail: 'y' },
  ]
  assert.deepEqual(
    toDocumentFields(errors, { name: 'a' }).map(({ pointer }) => pointer),
    ['/model', '/configs'],
  )
  const metadata = {
    uid: 'u',
    labels: { a: 'b' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x', c: 'd' },
  }
  assert.deepEqual(copiedMetadata(metadata, { name: 'n', namespace: 's' }), {
    name: 'n',
    namespace: 's',
    labels: { a: 'b' },
    annotations: { c: 'd' },
  })
})

const recipe = {
  id: 'hello',
  title: 'Hello <b>',
  description: 'The smallest agent.',
  tags: ['start'],
  config: { name: 'hello', model: { route: 'mock' }, systemPrompt: 'You greet people.' },
  tryInput: 'My name is Ada.',
}

function api(sent: CannedRequest[]) {
  const pages = [{ id: 'agents', title: 'Agents', section: 'Build', path: '/agents', capability: 'agents' }]
  return {
    ...cannedShell,
    '/openapi.json': document,
    '/api/capabilities': { profile: 'open', pages, capabilities: [{ id: 'agents', enabled: true }] },
    '/api/recipes': { items: [recipe], nextCursor: null },
    '/api/templates': { items: [], nextCursor: null },
    '/api/agents/check-requirements': {
      ready: false,
      requirements: [
        { kind: 'ModelRoute', namespace: 'demo', name: 'mock', status: 'missing', fix: 'Create the route.' },
      ],
    },
    '/api/agents/generate': { config: recipe.config, explanation: 'Greets.\n# twice', warnings: ['no tools'] },
    '/api/agents': answering((request) => answer(sent, request)),
  }
}

function answer(sent: CannedRequest[], request: CannedRequest): { readonly status: number; readonly body: unknown } {
  if (request.method === 'GET') return { status: 200, body: { items: [], nextCursor: null } }
  sent.push(request)
  const { config } = request.body as { readonly config: { readonly name: string } }
  const errors = [{ pointer: '/config/name', detail: 'is taken' }]
  if (config.name === 'taken') return { status: 422, body: { title: 'Invalid', detail: 'A field is refused.', errors } }
  return { status: 201, body: { metadata: { name: config.name, namespace: 'demo' } } }
}

test('three presses make an agent of a recipe, and its playground has the input to try', needsChromium, async (t) => {
  const files = await consoleFiles()
  const sent: CannedRequest[] = []
  const url = await serveConsole(t, files, api(sent))
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/agents/new?namespace=demo#code=once`, {
    scheme: 'light',
    width: 'wide',
  })
  await page.getByRole('button', { name: /^Hello/ }).click()
  const name = page.getByRole('textbox', { name: /^Name/ }).first()
  await name.waitFor()
  assert.match(page.url(), /from=recipe%3Ahello/)
  await page.getByText('Create the route.').waitFor()
  await name.fill('taken')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('name: is taken').waitFor()
  await name.fill('greeter')
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText('Nothing was created').waitFor()
  // The draft outlives a reload.
  while (
    !String(await page.evaluate("sessionStorage.getItem('mesh-draft agents/-new/recipe:hello')")).includes('greeter')
  )
    await page.waitForTimeout(100)
  await page.goto(page.url())
  await page.getByText('Your draft was restored').waitFor()
  assert.equal(await page.getByRole('textbox', { name: /^Name/ }).first().inputValue(), 'greeter')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/agents\/demo\/greeter\?tab=playground&input=My(\+|%20)name(\+|%20)is(\+|%20)Ada\.$/)
  assert.equal(await page.evaluate("sessionStorage.getItem('mesh-draft agents/-new/recipe:hello')"), null)
  assert.deepEqual(
    sent.map(({ query, body }) => [query.get('dryRun'), (body as { namespace: string }).namespace]),
    [
      [null, 'demo'],
      ['All', 'demo'],
      [null, 'demo'],
    ],
  )
  assert.deepEqual(
    problems.filter((one) => !one.includes('422')),
    [],
  )
})

test(
  'each step in both themes and widths; a prompt becomes a document with what the model says',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const url = await serveConsole(t, files, api([]))
    const browser = await startBrowser(t)
    const write = async (page: Page): Promise<void> => {
      // The window keeps the draft of its other width.
      await page.evaluate('sessionStorage.clear()')
      await page.reload()
      await page.getByRole('textbox', { name: /What should the agent do/ }).fill('Greet people')
      await page.getByRole('button', { name: 'Write the configuration' }).click()
      await page.waitForSelector('[role="form"]')
    }
    await checkLooks(browser, url, [
      ['/agents/new', 'main button:has-text("Hello")'],
      ['/agents/new?from=file', 'input[type="file"]'],
      ['/agents/new?from=recipe:hello', '[role="form"]'],
      ['/agents/new?from=prompt', 'textarea'],
      ['/agents/new?from=prompt', write],
      ['/agents/new?from=recipe:missing', 'text=The source does not exist.'],
    ])
  },
)

const wide = { scheme: 'light', width: 'wide' } as const

test(
  'a prompt and what was made of it outlive a reload; a model proposes changes, which are shown before they are taken',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const asked: CannedRequest[] = []
    const refine = answering((request) => {
      asked.push(request)
      const { config, instruction } = request.body as { readonly config: object; readonly instruction: string }
      if (instruction === 'refuse') return { status: 422, body: { title: 'No.', detail: 'The model says <b>no</b>.' } }
      const made = instruction === 'nothing' ? config : { ...config, systemPrompt: 'Be short. <img src=x>', tools: [] }
      return { status: 200, body: { config: made, explanation: 'Shorter \u202e<b>.', warnings: ['No tools.'] } }
    })
    const url = await serveConsole(t, files, { ...api([]), '/api/agents/refine': refine })
    const browser = await startBrowser(t)
    const { page, problems } = await openLook(browser, `${url}/agents/new?from=prompt&namespace=demo`, wide)
    const kept = async (key: string, words: string): Promise<void> => {
      const stored = `sessionStorage.getItem('mesh-draft agents/-new/${key}')`
      while (!String(await page.evaluate(stored)).includes(words)) await page.waitForTimeout(100)
    }
    const prompt = page.getByRole('textbox', { name: /What should the agent do/ })
    await prompt.fill('Greet people: \'"x" \u0000 {')
    await kept('prompt/words', 'Greet people')
    await page.reload()
    assert.match(await prompt.inputValue(), /^Greet people: '"x" /)
    await page.getByRole('button', { name: 'Write the configuration' }).click()
    await page.waitForSelector('[role="form"]')
    await kept('prompt', 'You greet people')
    await page.reload()
    await page.getByText('Your draft was restored').waitFor()

    const words = page.getByRole('textbox', { name: 'What should change?' })
    await words.fill('refuse')
    await page.keyboard.press('Control+Enter')
    await page.getByText('The model says <b>no</b>.').waitFor()
    await words.fill('nothing')
    await page.getByRole('button', { name: 'Propose changes' }).click()
    await page.getByText('The model proposes no change.').waitFor()
    await words.fill('Be short.')
    await page.getByRole('button', { name: 'Propose changes' }).click()
    const changes = page.getByRole('list', { name: 'Changed fields' }).first()
    await changes.waitFor()
    assert.deepEqual(await changes.getByRole('listitem').allInnerTexts(), ['/systemPrompt changed', '/tools added'])
    const system = page.getByRole('textbox', { name: /^System prompt/ })
    assert.equal(await system.inputValue(), 'You greet people.')
    assert.deepEqual(await axeViolations(page), [])
    await page.getByRole('button', { name: 'Take 2 changes' }).click()
    assert.equal(await system.inputValue(), 'Be short. <img src=x>')
    // What the model said of the first document stays above it.
    await kept('prompt', '# Greets.')
    assert.equal(await words.inputValue(), '')
    assert.equal(await page.locator('main img').count(), 0)
    const { config, instruction, namespace } = (asked.at(-1)?.body ?? {}) as Readonly<Record<string, unknown>>
    assert.deepEqual([config, instruction, namespace], [recipe.config, 'Be short.', 'demo'])
    assert.deepEqual(
      problems.filter((one) => !one.includes('422')),
      [],
    )
  },
)

test('a file that was opened outlives a reload', needsChromium, async (t) => {
  const files = await consoleFiles()
  const url = await serveConsole(t, files, api([]))
  const { page } = await openLook(await startBrowser(t), `${url}/agents/new?from=file&namespace=demo`, wide)
  const buffer = Buffer.from('# mine\nname: from-file\nmodel: {route: mock}\n')
  await page.locator('input[type="file"]').setInputFiles({ name: 'agent.yaml', mimeType: 'text/yaml', buffer })
  await page.waitForSelector('[role="form"]')
  const stored = `sessionStorage.getItem('mesh-draft agents/-new/file')`
  while (!String(await page.evaluate(stored)).includes('# mine')) await page.waitForTimeout(100)
  await page.reload()
  await page.getByText('Your draft was restored').waitFor()
  assert.equal(await page.getByRole('textbox', { name: /^Name/ }).first().inputValue(), 'from-file')
})
