import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { refusedServer, toServerBody } from '../../plugins/mcp/console/servers/connect-fields.ts'
import { failedStep, stepsOfConnection, stepsOfFailure } from '../../plugins/mcp/console/servers/handshake-steps.ts'
import { toServerState } from '../../plugins/mcp/console/shared/server-state.ts'
import { hintsOf, schemaValue, toToolDocument } from '../../plugins/mcp/console/shared/shown-tool.ts'
import { rightOnSecret, secretOf } from '../../plugins/secrets/console/right-on-secret.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { cannedMcp, driftedServer } from './canned-mcp.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as object
const wide = { scheme: 'light', width: 'wide' } as const
const TOKEN = 'canary-0123456789'

test('hints are read as MCP reads them: what a server does not say may destroy', () => {
  const words = (annotations: unknown) => hintsOf({ annotations }).map((one) => one.words)
  assert.deepEqual(words({ readOnlyHint: true, openWorldHint: true }), ['read only', 'reaches out'])
  assert.deepEqual(words({ destructiveHint: false }), ['writes'])
  assert.deepEqual(words({ readOnlyHint: false }), ['may destroy'])
  for (const none of [undefined, null, {}, 'x']) assert.deepEqual(words(none), ['no hints'], JSON.stringify(none))
  assert.deepEqual([schemaValue('{"a":1}'), schemaValue('no JSON'), schemaValue(5)], [{ a: 1 }, 'no JSON', 5])
  assert.equal(toToolDocument(undefined), '')
  assert.match(toToolDocument({ name: 'a', inputSchema: '{"type":"object"}' }), /"inputSchema": \{\n/)
})

test('the changes of a server have both sides; a status that is no status has none', () => {
  const { changes, proposed } = toServerState(driftedServer)
  assert.deepEqual(
    changes.map(({ change, before, after }) => [change, before?.name.length, after?.name.length]),
    [
      ['changed', 8, 8],
      ['added', undefined, 4],
      ['removed', 128, undefined],
    ],
  )
  assert.match(proposed ?? '', /^sha256:b/)
  for (const status of [undefined, null, { proposed: { changes: 'x' } }, { tools: 5 }])
    assert.deepEqual(toServerState({ status: status as never }).changes, [])
})

test('a handshake is shown step by step, with the one that failed', () => {
  const states = (steps: readonly { readonly state: string; readonly note?: string | undefined }[]) =>
    steps.map(({ state, note }) => (note === undefined ? state : `${state} ${note}`))
  const done = [
    { step: 'resolve', ms: 3 },
    { step: 'connect', ms: 84 },
    { step: 'initialize', ms: 0 },
  ] as const
  assert.deepEqual(states(stepsOfConnection(done)), ['done 3 ms', 'done 84 ms', 'done', 'skipped'])
  assert.deepEqual(states(stepsOfFailure('connect')), ['done', 'failed', 'skipped', 'skipped'])
  const failed = new ApiProblem({ status: 422, title: 'No.', detail: 'a: refused.', code: 'mcp_connect_failed' })
  assert.equal(failedStep(failed), 'connect')
  assert.deepEqual(refusedServer(failed), { fields: { url: 'a: refused.' }, rest: null })
  const taken = new ApiProblem({ status: 409, title: 'No.', detail: 'x', code: 'already_exists' })
  assert.ok(refusedServer(taken).fields.name)
  assert.equal(refusedServer(new Error('x')).rest?.message, 'x')
  const typed = { namespace: 'demo', name: ' a ', url: ' https://a ', header: ' X-Key ', clientId: '' }
  assert.deepEqual(toServerBody({ ...typed, kind: 'header' }, TOKEN).credential, {
    kind: 'header',
    value: TOKEN,
    header: 'x-key',
  })
  assert.deepEqual(toServerBody({ ...typed, kind: 'oauth' }, TOKEN).credential, { kind: 'oauth' })
  const client = toServerBody({ ...typed, kind: 'oauth', clientId: ' mesh ' }, TOKEN).credential
  assert.deepEqual(client, { kind: 'oauth', clientId: 'mesh', value: TOKEN })
})

test('who may get a Secret is read from the rules of the cluster', () => {
  const rule = { verbs: ['get'], groups: [''], resources: ['secrets'] }
  const right = (rules: readonly object[], complete = true) => rightOnSecret({ rules: rules as never, complete }, 'crm')
  assert.equal(right([rule]), 'met')
  assert.equal(right([{ verbs: ['*'], groups: ['*'], resources: ['*'] }]), 'met')
  assert.equal(right([{ ...rule, names: ['other'] }]), 'denied')
  assert.equal(right([{ ...rule, names: ['crm'] }]), 'met')
  assert.equal(
    right([
      { ...rule, groups: ['mesh.dev'] },
      { ...rule, verbs: ['list'] },
    ]),
    'denied',
  )
  assert.equal(right([], false), 'unknown')
  assert.deepEqual(secretOf({ metadata: { namespace: 'demo' }, spec: { secretRef: { name: 'crm' } } }), {
    namespace: 'demo',
    name: 'crm',
  })
  for (const none of [undefined, 'x', {}, { spec: { secretRef: { name: '' } } }, { spec: { secretRef: 5 } }])
    assert.equal(secretOf(none), undefined)
})

test(
  'MCP servers, tools and their lists in every look: no violation, no sideways scroll, hostile texts',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, await packed, { ...cannedMcp, '/openapi.json': document })
    const browser = await startBrowser(t)
    await checkLooks(browser, url, [
      ['/mcpservers', 'tbody tr'],
      ['/mcpservers/demo/weather', '.cm-editor'],
      ['/tools', 'tbody tr'],
      ['/tools?item=demo%2Fweather%2Fforecast', 'main aside h3'],
      ['/tools?q=nothing', 'text=Nothing matches'],
      ['/tools/bindings', 'text=No tool binding yet'],
      ['/tools/registries/new', '[role="form"]'],
    ])
  },
)

test('a server is connected step by step, and its drift is accepted once it was read', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const keep = (answer: (request: CannedRequest) => CannedAnswer) =>
    answering((request) => {
      if (request.method !== 'GET') sent.push(request)
      return answer(request)
    })
  const failed = { title: 'No.', detail: 'a.example: timed out.', code: 'mcp_initialize_failed' }
  const notRequired = { title: 'No.', detail: 'x', code: 'approval_not_required' }
  const url = await serveConsole(t, await packed, {
    ...cannedMcp,
    '/openapi.json': document,
    '/api/mcp/connect': keep(({ body }) => {
      if ((body as { readonly name: string }).name === 'bad') return { status: 422, body: failed }
      const handshake = [
        { step: 'resolve', ms: 3 },
        { step: 'list_tools', ms: 21 },
      ]
      return { status: 201, body: { ...driftedServer, manifest: { tools: [{}, {}] }, handshake } }
    }),
    '/api/mcp/approvals/demo/weather': keep(() => ({ status: 409, body: notRequired })),
    '/api/mcpservers/demo/weather': keep(({ method }) =>
      method === 'PUT'
        ? { status: 412, body: { title: 'Changed.', detail: 'x', code: 'precondition_failed' } }
        : { status: 200, body: driftedServer },
    ),
  })
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/mcpservers?namespace=demo`, wide)
  await page.getByRole('main').getByRole('button', { name: 'Connect' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('https://a.example/mcp')
  await dialog.getByLabel('Name', { exact: true }).fill('bad')
  await dialog.getByLabel('Credential').selectOption('bearer')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await dialog.getByText('This kind of credential needs a value.').waitFor()
  assert.equal(sent.length, 0)
  await dialog.getByLabel('Token or value').fill(TOKEN)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await dialog.getByText('a.example: timed out.').waitFor()
  await dialog.getByText('Failed').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByLabel('Name', { exact: true }).fill('weather')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await dialog.getByText('weather is connected: it offers 2 tools.').waitFor()
  assert.equal(await page.evaluate<boolean>(`document.documentElement.outerHTML.includes('${TOKEN}')`), false)
  await dialog.getByRole('link', { name: 'Open the server' }).click()
  await page.getByRole('button', { name: 'added wipe' }).click()
  await page.getByText('Definition of wipe').waitFor()
  await page.getByRole('button', { name: 'Accept these definitions' }).click()
  await page.getByText('The server has changed meanwhile.').waitFor()
  const { body, headers } = sent.at(-1) ?? {}
  assert.match((body as { readonly spec: { readonly acceptedManifest: string } }).spec.acceptedManifest, /^sha256:b/)
  assert.equal(headers?.['if-match'], '"7"')
  assert.deepEqual(
    problems.filter((one) => !/422|412|409/.test(one)),
    [],
  )
})

test('a server is not registered by its address where that is off or denied', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const { pages, capabilities } = cannedMcp['/api/capabilities'] as {
    readonly pages: readonly object[]
    readonly capabilities: readonly { readonly id: string }[]
  }
  const right = { verb: 'create', resource: 'mcpservers', group: 'mesh.dev' }
  for (const [refusal, words] of [
    [{ reason: 'unconfigured', setting: 'bff.mcp.enabled' }, 'bff.mcp.enabled'],
    [{ reason: 'denied', requires: right }, 'You may not create mcpservers'],
  ] as const) {
    const refused = capabilities.map((one) =>
      one.id === 'mcp.register' ? { ...one, enabled: false, ...refusal } : one,
    )
    const url = await serveConsole(t, await packed, {
      ...cannedMcp,
      '/openapi.json': document,
      '/api/capabilities': { profile: 'open', pages, capabilities: refused },
    })
    const { page, problems } = await openLook(browser, `${url}/mcpservers/new?namespace=demo`, wide)
    await page.getByRole('main').getByText(words).first().waitFor()
    assert.equal(await page.locator('[role="form"]').count(), 0)
    assert.deepEqual(await axeViolations(page), [])
    assert.deepEqual(problems, [])
    await page.context().close()
  }
})

test('a binding says before a save whether its author may get the Secret', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, { ...cannedMcp, '/openapi.json': document })
  const browser = await startBrowser(t)
  const { page } = await openLook(browser, `${url}/secretbindings/new?namespace=demo`, wide)
  await page.getByText('Name a Secret, and its requirement stands here.').waitFor()
  await page.getByRole('button', { name: 'Fill in the example' }).click()
  await page.getByText('You may get Secret demo/crm.').waitFor()
  await page.getByText('Met', { exact: true }).waitFor()
  assert.deepEqual(await axeViolations(page), [])
})
