import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { firstFields } from '../../plugins/mcp/console/connectors/first-fields.ts'
import { toCredential } from '../../plugins/mcp/console/credential/credential-body.ts'
import { toServerPublication } from '../../plugins/mcp/console/publish/publish-body.ts'
import { toServerBody } from '../../plugins/mcp/console/servers/connect-fields.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { cannedMcp, connectors, driftedServer } from './canned-mcp.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as object
const wide = { scheme: 'light', width: 'wide' } as const
const TOKEN = 'canary-0123456789'

test('a connector gives its credential and a name that a cluster takes, and its id in place of an address', () => {
  const [published, shipped] = connectors
  assert.ok(published !== undefined && shipped !== undefined)
  const first = firstFields(shipped, 'demo')
  assert.deepEqual(toServerBody(first, TOKEN), {
    namespace: 'demo',
    name: 'github',
    connectorId: 'shipped:github',
    credential: { kind: 'bearer', value: TOKEN },
  })
  const nameOf = (title: string) => firstFields({ ...published, title }, 'demo').name
  assert.deepEqual(
    [nameOf('Cloudflare documentation'), nameOf('שירות'), nameOf(`${'a'.repeat(62)} b`), nameOf('-A-')],
    ['cloudflare-documentation', '', 'a'.repeat(62), 'a'],
  )
  assert.deepEqual(toCredential({ kind: 'header', header: ' X-Key ', clientId: 'mesh' }, TOKEN), {
    kind: 'header',
    header: 'x-key',
    value: TOKEN,
  })
})

test('a publication has each word once, and ends with an empty list', () => {
  const typed = {
    title: ' Weather ',
    description: ' a ',
    tags: 'b, b  c',
    audience: 'some',
    namespaces: 'x y,x',
  } as const
  const { tags, visibleTo, title } = toServerPublication({ namespace: 'demo', name: 'w' }, typed)
  assert.deepEqual([title, tags, visibleTo], ['Weather', ['b', 'c'], ['x', 'y']])
  const audienceOf = (audience: 'all' | 'none') =>
    toServerPublication({ namespace: '', name: '' }, { ...typed, audience })
  assert.deepEqual([audienceOf('all').visibleTo, audienceOf('none').visibleTo], ['all', []])
})

test('a refusal stands at its field, also one of an entry of a list', () => {
  const refuse = (...pointers: readonly string[]) =>
    new ApiProblem({
      status: 400,
      title: 'No.',
      detail: 'x',
      errors: pointers.map((pointer) => ({ pointer, detail: 'is wrong' })),
    })
  const found = refusedFields(refuse('/tags/0', 'body.title'), ['tags', 'title'])
  assert.deepEqual(found, { fields: { tags: 'is wrong', title: 'is wrong' }, rest: null })
  for (const pointers of [[], ['/other'], ['/tags', '/__proto__']])
    assert.notEqual(refusedFields(refuse(...pointers), ['tags']).rest, null, pointers.join(' '))
})

test('connectors in every look: no violation, no sideways scroll, hostile texts', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, { ...cannedMcp, '/openapi.json': document })
  const browser = await startBrowser(t)
  await checkLooks(browser, url, [
    ['/connectors', 'tbody tr'],
    ['/connectors?item=published%3Auid-1', 'main aside h3, main aside h2'],
    ['/connectors?item=gone', 'text=It is on another page'],
  ])
})

test('a connector is connected by its id, with its kind of credential', needsChromium, async (t) => {
  const { sent, keep } = recorder()
  const url = await serveConsole(t, await packed, {
    ...cannedMcp,
    '/openapi.json': document,
    '/api/mcp/connect': keep(() => ({
      status: 201,
      body: { ...driftedServer, manifest: { tools: [{}] }, handshake: [] },
    })),
  })
  const { page } = await openLook(await startBrowser(t), `${url}/connectors?namespace=demo`, wide)
  await page.getByRole('button', { name: 'Connect GitHub' }).click()
  const dialog = page.getByRole('dialog')
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByLabel('Token or value').fill(TOKEN)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await dialog.getByText('it offers 1 tool').waitFor()
  assert.deepEqual(sent[0]?.body, {
    namespace: 'demo',
    name: 'github',
    connectorId: 'shipped:github',
    credential: { kind: 'bearer', value: TOKEN },
  })
  assert.equal(await hasToken(page), false)
})

test('a server gets a credential that is never shown, and is published or not', needsChromium, async (t) => {
  const { sent, keep } = recorder()
  const wrong = {
    title: 'No.',
    detail: 'x',
    code: 'invalid_body',
    errors: [{ pointer: '/tags/0', detail: 'is wrong' }],
  }
  let status = 400
  const url = await serveConsole(t, await packed, {
    ...cannedMcp,
    '/openapi.json': document,
    '/api/mcp/org-credential': keep(() => ({ status: 204, body: undefined })),
    '/api/mcp/publish': keep(() => (status === 400 ? { status, body: wrong } : { status, body: undefined })),
  })
  const { page } = await openLook(await startBrowser(t), `${url}/mcpservers/demo/weather`, wide)
  await page.getByRole('button', { name: 'Set the credential' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Set the credential' }).click()
  await dialog.getByText('This kind of credential needs a value.').waitFor()
  assert.equal(sent.length, 0)
  await dialog.getByLabel('Token or value').fill(TOKEN)
  await dialog.getByRole('button', { name: 'Set the credential' }).click()
  await page.getByText('weather has a new credential').waitFor()
  assert.deepEqual(sent[0]?.body, {
    namespace: 'demo',
    server: 'weather',
    credential: { kind: 'bearer', value: TOKEN },
  })
  assert.equal(await hasToken(page), false)
  await page.getByRole('main').getByRole('button', { name: 'Publish' }).click()
  await dialog.getByLabel('Description').fill('Forecasts.')
  await dialog.getByLabel('Tags').fill('Weather')
  await dialog.getByLabel('Shown to').selectOption('some')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('Name a namespace.').waitFor()
  assert.equal(sent.length, 1)
  await dialog.getByRole('textbox', { name: 'Namespaces' }).fill('team-a')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('is wrong').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  status = 204
  await dialog.getByLabel('Tags').fill('weather')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('weather is published').waitFor()
  assert.deepEqual(sent.at(-1)?.body, {
    namespace: 'demo',
    server: 'weather',
    title: 'weather',
    description: 'Forecasts.',
    tags: ['weather'],
    visibleTo: ['team-a'],
  })
})

test('where bff.mcp.enabled is false nothing of the register is offered', needsChromium, async (t) => {
  const { pages, capabilities, ...rest } = cannedMcp['/api/capabilities'] as {
    readonly pages: readonly object[]
    readonly capabilities: readonly { readonly id: string }[]
  }
  const closed = { enabled: false, reason: 'disabled', setting: 'bff.mcp.enabled: true' }
  const gated = ['mcp.register', 'mcp.catalog', 'mcp.publish']
  const url = await serveConsole(t, await packed, {
    ...cannedMcp,
    '/openapi.json': document,
    '/api/capabilities': {
      ...rest,
      pages,
      capabilities: capabilities.map((one) => (gated.includes(one.id) ? { id: one.id, ...closed } : one)),
    },
  })
  const { page } = await openLook(await startBrowser(t), `${url}/mcpservers`, wide)
  await page.waitForSelector('tbody tr')
  const main = page.getByRole('main')
  assert.equal(await main.getByRole('button', { name: /Connect|New MCP server/ }).count(), 0)
  await page.goto(`${url}/mcpservers/demo/weather`)
  await page.getByText('Accepted tools').waitFor()
  assert.equal(await main.getByRole('button', { name: /Publish|Set the credential/ }).count(), 0)
  await page.goto(`${url}/connectors`)
  await page.getByText('bff.mcp.enabled: true').first().waitFor()
})

function recorder() {
  const sent: CannedRequest[] = []
  const keep = (answer: (request: CannedRequest) => CannedAnswer) =>
    answering((request) => {
      sent.push(request)
      return answer(request)
    })
  return { sent, keep }
}

async function hasToken(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`document.documentElement.outerHTML.includes('${TOKEN}')`)
}
