import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedCases, cannedDatasets, ownLabelOfCase } from './canned-datasets.ts'
import { requestsOf } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const files = await consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test('cases are labelled by keyboard: one press one label, and a newer one replaces it', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const label = answering((request) => {
    sent.push(request)
    const [, caseId = ''] = /cases\/(\w)\//.exec(request.path) ?? []
    return { status: 201, body: { ...ownLabelOfCase, ...Object(request.body), caseId } }
  })
  const url = await serveConsole(t, files, {
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
    const url = await serveConsole(t, files, {
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
