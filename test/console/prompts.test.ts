import assert from 'node:assert/strict'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { comparedOf, liveVersion, variablesIn } from '../../plugins/prompts/console/shared/shown-prompt.ts'
import { toSaveRequest } from '../../plugins/prompts/console/write/save-text.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedPrompts, greet } from './canned-prompts.ts'
import { serveConsole } from './fake-console.ts'
import { checkLooks } from './check-looks.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test('the live version is that of production, and is compared with the latest', () => {
  const versions = [3, 2, 1].map((version) => ({ version }))
  const asked = { from: undefined, to: undefined }
  assert.equal(liveVersion({ labels: { production: 1 } }, 3), 1)
  assert.equal(liveVersion({ labels: {} }, 3), 3)
  assert.deepEqual(comparedOf(versions, 1, asked), { from: 1, to: 3 })
  assert.deepEqual(comparedOf(versions, 3, asked), { from: 2, to: 3 })
  assert.deepEqual(comparedOf(versions, 1, { from: '2', to: '9' }), { from: 2, to: 3 })
  assert.equal(comparedOf(versions.slice(0, 1), 3, asked), undefined)
})

test('variables are shown once, with their defaults, also with names of the language', () => {
  const variables = { properties: { a: { default: 1 } } }
  const found = variablesIn({ text: '{{a}} {{__proto__}} {{a}} {{ b }}', variables })
  assert.deepEqual(found, [
    { name: 'a', fallback: '1' },
    { name: '__proto__', fallback: undefined },
  ])
})

test('a further version keeps what the dialog does not show, unless the text has other variables', () => {
  const kept = { ...greet, tags: ['a'], variables: { properties: { name: {} } } }
  const typed = {
    form: 'text',
    namespace: 'demo',
    name: 'greet',
    message: '',
    label: 'staging',
    file: '',
    kept,
  } as const
  const body = { namespace: 'demo', name: 'greet', labels: ['staging'], tags: ['a'] }
  assert.deepEqual(toSaveRequest({ ...typed, text: 'Hi {{name}}' }).body, {
    ...body,
    text: 'Hi {{name}}',
    variables: kept.variables,
  })
  assert.deepEqual(toSaveRequest({ ...typed, text: 'Hi {{other}}' }).body, { ...body, text: 'Hi {{other}}' })
  assert.deepEqual(toSaveRequest({ ...typed, text: '', form: 'file', file: 'kind: x' }).yaml, 'kind: x')
})

test('pages of prompts in every look: no violation, no sideways scroll, hostile texts', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, cannedPrompts)
  await checkLooks(await startBrowser(t), url, [
    ['/prompts', 'tbody tr'],
    ['/prompts/demo/greet', 'pre'],
    ['/prompts/demo/greet?v=1', 'text=default'],
    ['/prompts/demo/greet?tab=compare', '.cm-line'],
    ['/prompts/demo/greet?tab=history', 'tbody tr'],
    ['/prompts/demo/greet?tab=users', 'main a[href^="/agents/"]'],
  ])
})

test('a label is moved, and a protected one names the verb that is missing', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const url = await serveConsole(t, await packed, {
    ...cannedPrompts,
    '/api/promptversions/demo/greet/labels/production': answering((request) => {
      sent.push(request)
      const detail = 'promptversions.mesh.dev "greet" is forbidden: User "dev" cannot promote resource "promptversions"'
      return { status: 403, body: { status: 403, code: 'forbidden', title: 'Forbidden', detail } }
    }),
    '/api/promptversions/demo/greet/labels/staging': answering((request) => {
      sent.push(request)
      return { status: 200, body: greet }
    }),
  })
  const { page } = await openLook(await startBrowser(t), `${url}/prompts/demo/greet`, wide)
  await page.getByRole('button', { name: 'Move a label' }).click()
  const dialog = page.getByRole('dialog')
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('button', { name: 'Move' }).click()
  await dialog.getByText('cannot promote').waitFor()
  await dialog.getByLabel('Label', { exact: true }).fill('staging')
  await dialog.getByLabel('Version').fill('2')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('staging is version 2').waitFor()
  assert.deepEqual(
    sent.map(({ method, body }) => [method, body]),
    [
      ['PUT', { version: 3 }],
      ['PUT', { version: 2 }],
    ],
  )
})

test('without prompts the page makes the first one, and a denied caller reads the right', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const empty = { items: [], nextCursor: null }
  const url = await serveConsole(t, await packed, {
    ...cannedPrompts,
    '/api/promptversions': answering((request) => {
      if (request.method === 'GET') return { status: 200, body: empty }
      sent.push(request)
      return { status: 201, body: greet }
    }),
    '/api/promptversions/demo/other': answering(() => ({
      status: 403,
      body: { status: 403, code: 'forbidden', title: 'Forbidden', detail: 'No.' },
    })),
  })
  const { page } = await openLook(await startBrowser(t), `${url}/prompts?namespace=demo`, wide)
  await page.getByText('No prompts yet').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'New prompt' }).last().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('greet')
  await dialog.getByLabel('Text', { exact: true }).fill('Hi {{name}}')
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/prompts/demo/greet')
  assert.deepEqual(sent[0]?.body, { namespace: 'demo', name: 'greet', text: 'Hi {{name}}' })
  await page.goto(`${url}/prompts/demo/other`)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
})
