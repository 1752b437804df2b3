import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { kindsOfPlugin, firstColumns, servedKind } from '#ui/kinds/served-kind.ts'
import { fillPath, namesOf, readDeclaration } from '#ui/kinds/declared/declaration.ts'
import { readyOf, toCell, toEdited, valueAt } from '#ui/kinds/kind-object.ts'
import { rebaseYaml } from '#ui/parts/yaml/rebase-yaml.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { checkLooks } from './check-looks.ts'
import { cannedShell } from './fake-console.ts'
import { serveKinds } from './fake-kinds.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as object

test('the state of an object is that of Ready, or of what its kind requires', () => {
  const of = (...conditions: readonly (readonly [string, string])[]) => {
    const shown = conditions.map(([type, status]) => ({ type, status, reason: `${type}Is${status}`, message: '' }))
    return readyOf({ metadata: { name: 'a' }, status: { conditions: shown } } as never)
  }
  assert.equal(of(['Accepted', 'False'], ['Ready', 'True'])?.state, 'ready')
  assert.equal(of(['Accepted', 'True'], ['ResolvedRefs', 'True'])?.state, 'ready')
  assert.deepEqual(of(['Accepted', 'True'], ['ResolvedRefs', 'False']), {
    state: 'degraded',
    reason: 'ResolvedRefsIsFalse',
  })
  assert.equal(of(['Acme', 'False']), undefined)
  assert.equal(of(), undefined)
})

test('a kind is what the document of the API says: names, operations, schema, example', () => {
  const binding = servedKind(document, ['secretbindings'])
  assert.deepEqual(
    [binding?.apiVersion, binding?.kind, binding?.isNamespaced, binding?.verbs],
    ['mesh.dev/v1alpha1', 'SecretBinding', true, ['list', 'create', 'get', 'update', 'delete']],
  )
  assert.equal(valueAt(binding?.sample, 'spec.secretRef.name'), 'crm')
  const tenant = servedKind(document, ['tenants'])
  assert.deepEqual([tenant?.isNamespaced, tenant?.verbs], [false, ['list', 'create', 'get']])
  assert.deepEqual(tenant && firstColumns(tenant).map(({ field }) => field), ['spec.displayName', 'spec.namespaces'])
  for (const api of [['runs'], ['nothing'], ['__proto__'], ['agents', 'generate'], []])
    assert.equal(servedKind(document, api), undefined, api.join('/'))
  assert.equal(servedKind({}, ['tenants']), undefined)
  assert.deepEqual(kindsOfPlugin(document, 'oncall'), [])
})

test('what is edited has no field of the cluster; cells show what is there', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', labels: { x: 'y' }, finalizers: ['f'] }
  assert.deepEqual(toEdited({ apiVersion: 'v', kind: 'K', metadata, spec: 1, status: {} }), {
    apiVersion: 'v',
    kind: 'K',
    metadata: { name: 'a', labels: { x: 'y' }, finalizers: ['f'] },
    spec: 1,
  })
  assert.deepEqual(
    [undefined, '', 0, false, [], ['a', 'b'], [1, 2, 3, 4, 5, 6], [{ name: 'n' }], { a: 1 }].map(toCell),
    ['—', '—', '0', 'false', '—', 'a, b', '1, 2, 3, 4, 5, +1', 'n', '{"a":1}'],
  )
  assert.equal(valueAt({ a: { b: 1 } }, 'a.constructor'), undefined)
})

test('my changes are applied to what the document has become; lists as a whole', () => {
  const base = 'a: 1\nb: [x]\nc: {d: 1}\n'
  assert.equal(
    rebaseYaml(base, 'a: 2\nb: [x, y]\n', '# theirs\na: 1\nb: [z]\nc: {d: 1, e: 5}\n'),
    '# theirs\na: 2\nb:\n  - x\n  - y\n',
  )
  assert.equal(rebaseYaml(base, base, 'a: 9\n'), 'a: 9\n')
})

test('a declared page fills the paths of its routes, or has none', () => {
  const page = readDeclaration({ layout: 'list', source: '/api/x/o/{ns}', columns: [], nameField: 'run' })
  assert.deepEqual(fillPath('/api/x/o/{ns}/{name}/go', { ns: 'a', name: '../b' }), ['x', 'o', 'a', '../b', 'go'])
  assert.equal(fillPath('/api/x/o/{ns}', { ns: undefined, name: 'a' }), undefined)
  assert.equal(fillPath('/api/x/{constructor}', { ns: 'a', name: 'a' }), undefined)
  assert.deepEqual(namesOf({ run: 'r1' }, page, { ns: 'a', name: undefined }), { ns: 'a', name: 'r1' })
  assert.deepEqual(readDeclaration(null).shown, [])
})

test(
  'an object is edited: refused fields, a dry run, a conflict with what another person saved',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const { url, store, sent } = await serveKinds(t, files, document)
    const browser = await startBrowser(t)
    const look = { scheme: 'light', width: 'wide' } as const
    const { page, problems } = await openLook(browser, `${url}/secretbindings#code=once`, look)
    await page.getByRole('gridcell', { name: 'crm' }).first().click()
    await page.waitForURL(/\/secretbindings\/demo\/crm$/)
    await page.getByRole('button', { name: 'Edit' }).click()
    const description = page.getByRole('textbox', { name: /^Description/ })
    await description.fill('refuse me')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is not allowed here').first().waitFor()
    assert.match(await page.getByText(/spec\.description: is not allowed here/).innerText(), /spec\.description/)
    await description.fill('For tickets')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('Nothing was saved').waitFor()
    assert.equal(store.get('demo/crm')?.metadata['resourceVersion'], '1')
    // Another person saves first.
    store.set('demo/crm', changed(store.get('demo/crm'), 'By another person', '2'))
    await page.keyboard.press('Control+Enter')
    await page.getByText('Someone else has changed it meanwhile').waitFor()
    await page.waitForSelector('.cm-mergeView')
    assert.deepEqual(await axeViolations(page), [])
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText('crm was saved').waitFor()
    assert.deepEqual(specOf(store.get('demo/crm')), {
      secretRef: { name: 'other' },
      description: 'For tickets',
      env: [],
    })
    assert.deepEqual(sent.map(({ method, version }) => [method, version]).slice(-2), [
      ['PUT', '"1"'],
      ['PUT', '"2"'],
    ])
    await removeIt(page)
    assert.equal(store.size, 1)
    const expected = /422|412/
    assert.deepEqual(
      problems.filter((one) => !expected.test(one)),
      [],
    )
  },
)

async function removeIt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('AgentDeployment demo/triage refers to it').waitFor()
  await dialog.getByRole('textbox').fill('crm')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/secretbindings$/)
}

function changed<Kept extends NonNullable<Stored>>(
  object: Kept | undefined,
  description: string,
  resourceVersion: string,
): Kept {
  if (object === undefined) throw new Error('there is no object')
  const spec = { ...(object.spec as object), description, secretRef: { name: 'other' } }
  return { ...object, metadata: { ...object.metadata, resourceVersion }, spec }
}

type Stored = { readonly metadata: Readonly<Record<string, unknown>>; readonly spec?: unknown } | undefined

function specOf(object: Stored): unknown {
  return { ...(object?.spec as object), env: [] }
}

test(
  'each page of a kind in both themes and widths: no violation, no sideways scroll, hostile names',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const { url } = await serveKinds(t, files, document)
    const browser = await startBrowser(t)
    await checkLooks(browser, url, [
      ['/secretbindings', 'tbody tr'],
      ['/secretbindings/demo/crm', '[role="tabpanel"]'],
      ['/secretbindings/demo/crm?tab=edit', '[role="form"]'],
      ['/secretbindings/demo/crm?tab=edit&view=yaml', '.cm-content'],
      ['/secretbindings/new', '[role="form"]'],
    ])
  },
)

test('who may not read a kind, or asks for one that is gone, is answered so', needsChromium, async (t) => {
  const files = await consoleFiles()
  const { url } = await serveKinds(t, files, document)
  const browser = await startBrowser(t)
  const { page } = await openLook(browser, `${url}/agentregistries#code=once`, { scheme: 'dark', width: 'wide' })
  await page.getByText('You may not list agentregistries').waitFor()
  await page.goto(`${url}/secretbindings/demo/missing`)
  await page.getByText('The object does not exist.').waitFor()
  await page.goto(`${url}/secretbindings?q=nothing`)
  await page.getByText('Nothing matches').waitFor()
  assert.ok(Object.keys(cannedShell).length > 0)
})

test('a third party has a declared page and a kind, without code of its own', needsChromium, async (t) => {
  const files = await consoleFiles()
  const { url, sent } = await serveKinds(t, files, document)
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/x/oncall#code=once`, { scheme: 'light', width: 'wide' })
  await page.getByText('Choose a namespace').waitFor()
  await page.goto(`${url}/x/oncall?namespace=demo`)
  await page.getByRole('gridcell', { name: 'ada' }).waitFor()
  await page.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText('Done: Acknowledge').waitFor()
  assert.equal(sent.at(-1)?.path, '/api/x/oncall/pages/demo/run-1/acknowledge')
  await page.getByRole('link', { name: 'rotas' }).click()
  await page.waitForURL(/\/x\/oncall\/rotas$/)
  await page.getByRole('button', { name: 'New rota' }).click()
  await page.getByRole('textbox', { name: /^Webhook/ }).waitFor()
  await page.goto(`${url}/x/unknown`)
  await page.getByText('This page does not exist').waitFor()
  assert.deepEqual(problems, [])
})
