import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { readExpected, readTags, toTypedOutput } from '../../plugins/datasets/console/run/typed-case.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedCases, cannedDatasets, ownLabelOfCase, refunds } from './canned-datasets.ts'
import { cannedRunId, cannedRuns } from './canned-runs.ts'
import { requestsOf } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test('cases are labelled by keyboard: one press one label, and a newer one replaces it', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const label = answering((request) => {
    sent.push(request)
    const [, caseId = ''] = /cases\/(\w)\//.exec(request.path) ?? []
    return { status: 201, body: { ...ownLabelOfCase, ...Object(request.body), caseId } }
  })
  const url = await serveConsole(t, await packed, {
    ...cannedDatasets,
    ...Object.fromEntries(cannedCases.map(({ id }) => [`/api/datasets/refunds/cases/${id}/labels`, label])),
  })
  const { page, problems } = await openLook(await startBrowser(t), `${url}/datasets/demo/refunds?tab=label`, wide)
  const heading = page.locator('section h2')
  await heading.getByText('b').waitFor()
  assert.ok((await requestsOf(page)).length <= 6)
  // What is pressed before the case can be read is not meant for it.
  await page.waitForTimeout(350)
  await page.keyboard.press('n')
  await page.keyboard.press('n')
  await heading.getByText('c').waitFor()
  await page.waitForTimeout(350)
  await page.keyboard.press('k')
  await heading.getByText('b').waitFor()
  await page.getByText('A new label replaces it').waitFor()
  await page.waitForTimeout(350)
  await page.keyboard.press('c')
  await page.keyboard.type('my note')
  await page.keyboard.press('Escape')
  await page.keyboard.press('y')
  await heading.getByText('c').waitFor()
  await page.waitForTimeout(350)
  await page.keyboard.press('y')
  await page.getByText('All cases have your label').waitFor()
  assert.deepEqual(
    sent.map(({ path, body }) => [path.at(-8), body]),
    [
      ['b', { name: 'correct', dataType: 'boolean', value: false }],
      ['b', { name: 'correct', dataType: 'boolean', value: true, comment: 'my note' }],
      ['c', { name: 'correct', dataType: 'boolean', value: true }],
    ],
  )
  assert.deepEqual(problems, [])
})

test(
  'an import names the refused rows, a pin says whether it is new, and no dataset is replaced',
  needsChromium,
  async (t) => {
    const sent: CannedRequest[] = []
    let type: string | undefined
    const refused = {
      title: 'Rows of the import cannot be stored.',
      detail: 'row 2: input is missing. Nothing was stored.',
      code: 'invalid_import',
      errors: [{ pointer: '/cases/1/input', detail: 'row 2: input is missing' }],
    }
    const url = await serveConsole(t, await packed, {
      ...cannedDatasets,
      '/api/datasets/refunds/cases/import': (request: IncomingMessage, response: ServerResponse) => {
        type = request.headers['content-type']
        response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(refused))
      },
      '/api/datasets/refunds/pin': answering((request) => {
        sent.push(request)
        return { status: 200, body: { version: 2, cases: 3 } }
      }),
      '/api/datasets/taken': answering((request) => {
        sent.push(request)
        return { status: 412, body: { title: 'Changed', detail: 'The version differs.' } }
      }),
    })
    const { page } = await openLook(await startBrowser(t), `${url}/datasets/demo/refunds`, wide)
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    const file = { name: 'cases.csv', mimeType: 'application/vnd.ms-excel', buffer: Buffer.from('input\nHi\n') }
    await dialog.locator('input[type=file]').setInputFiles(file)
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByRole('cell', { name: 'input is missing' }).waitFor()
    assert.deepEqual(await axeViolations(page), [])
    assert.equal(type, 'text/csv')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByText('Pin 2 has these cases already').waitFor()
    await page.goto(`${url}/datasets?namespace=demo`)
    await page.getByRole('button', { name: 'New dataset' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('taken')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('has a dataset of this name').waitFor()
    assert.equal(sent.at(-1)?.headers['if-match'], '"0"')
    assert.deepEqual(await axeViolations(page), [])
  },
)

test('a run is saved as a case: with its output, without, or with another one', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const answer = answering((request) => {
    if (request.method === 'GET') return { status: 200, body: { items: [refunds], nextCursor: null } }
    sent.push(request)
    return { status: 201, body: { ...cannedCases[0], id: 'r' } }
  })
  const shell = cannedRuns['/api/capabilities'] as {
    readonly pages: readonly object[]
    readonly capabilities: object[]
  }
  const saving = { id: 'datasets.run', title: 'Save as case', section: 'Quality', path: '/datasets/run' }
  const url = await serveConsole(t, await packed, {
    ...cannedRuns,
    '/api/capabilities': {
      ...shell,
      pages: [...shell.pages, { ...saving, capability: 'datasets', tabOf: 'run' }],
      capabilities: [...shell.capabilities, { id: 'datasets', enabled: true }],
    },
    '/api/datasets': answer,
    '/api/datasets/refunds/cases/from-run': answer,
    '/api/datasets/fresh/cases/r': answer,
    '/api/datasets/fresh/cases/from-run': answer,
  })
  const { page, problems } = await openLook(await startBrowser(t), `${url}/runs/${cannedRunId(3)}`, wide)
  const dialog = page.getByRole('dialog')
  const open = () => page.getByRole('button', { name: 'Save as case' }).click()
  await open()
  const expected = dialog.getByLabel('Expected output')
  await dialog.getByRole('button', { name: 'Save' }).and(dialog.locator(':not([aria-busy])')).waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await expected.fill('')
  await dialog.getByLabel('Tags').fill('a, b,,a')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved in refunds').waitFor()
  await open()
  await dialog.getByRole('combobox').selectOption({ label: 'A new dataset …' })
  await dialog.getByLabel('Name of the new dataset').fill('fresh')
  await expected.fill('Another.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved in fresh').waitFor()
  const runId = cannedRunId(3)
  const { input, metadata, tags } = cannedCases[0]!
  const kept = { input, metadata, tags }
  assert.deepEqual(
    sent.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/api/datasets/refunds/cases/from-run', { runId, expected: 'none', tags: ['a', 'b'] }],
      ['POST', '/api/datasets/fresh/cases/from-run', { runId, expected: 'none' }],
      ['PUT', '/api/datasets/fresh/cases/r', { ...kept, expected: 'Another.' }],
    ],
  )
  assert.deepEqual(problems, [])
})

test('the expected output is that of the run unless it was changed', () => {
  assert.deepEqual(readExpected('Hi', 'Hi'), { kind: 'output' })
  assert.deepEqual(readExpected(' ', 'Hi'), { kind: 'none' })
  assert.deepEqual(readExpected('Ho', 'Hi'), { kind: 'other', value: 'Ho' })
  assert.deepEqual(readExpected('Ho', null), { kind: 'other', value: 'Ho' })
  assert.deepEqual(readExpected(toTypedOutput({ a: 1 }), { a: 1 }), { kind: 'output' })
  assert.deepEqual(readExpected('{"a":2}', { a: 1 }), { kind: 'other', value: { a: 2 } })
  assert.deepEqual(readExpected('{"a"', { a: 1 }), { kind: 'notJson' })
  assert.deepEqual(readTags('a, b,,a, __proto__'), ['a', 'b', '__proto__'])
})
