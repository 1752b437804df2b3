import assert from 'node:assert/strict'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { readExportProgress } from '../../plugins/datasets/console/export/export-frame.ts'
import { readOutput } from '../../plugins/datasets/console/export/export-output.ts'
import { emptyExport, toExportBody } from '../../plugins/datasets/console/export/to-export-body.ts'
import { importTypeOf, refusedRows } from '../../plugins/datasets/console/import/import-file.ts'
import { nextOpen, ownLabel, readLabel, rowsAround } from '../../plugins/datasets/console/label/typed-label.ts'
import { toDatasetBody, typedOf } from '../../plugins/datasets/console/write/to-dataset-body.ts'
import { needsChromium } from './browser-session.ts'
import { cannedCases, cannedDatasets, exportRun, ownLabelOfCase, refunds } from './canned-datasets.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { startBrowser } from './look.ts'

const packed = consoleFiles()

test('a label is read by its type, and other text is refused with the reason', () => {
  const typed = { name: ' correct ', comment: ' ', value: '' } as const
  const read = (dataType: 'numeric' | 'text' | 'correction' | 'boolean', value: string | boolean) =>
    readLabel({ ...typed, dataType, value })
  assert.deepEqual(read('boolean', false), { body: { name: 'correct', dataType: 'boolean', value: false } })
  assert.deepEqual(read('numeric', ' 0.5 '), { body: { name: 'correct', dataType: 'numeric', value: 0.5 } })
  for (const wrong of ['', ' ', 'x', '1e999', 'NaN']) assert.deepEqual(read('numeric', wrong), { problem: 'number' })
  assert.deepEqual(read('text', '  '), { problem: 'value' })
  assert.deepEqual(read('correction', '{"a":1}'), {
    body: { name: 'correct', dataType: 'correction', value: { a: 1 } },
  })
  assert.deepEqual(read('correction', '{"a"'), { body: { name: 'correct', dataType: 'correction', value: '{"a"' } })
  assert.deepEqual(read('correction', '42'), { body: { name: 'correct', dataType: 'correction', value: '42' } })
})

test('the next case is the first without a label after this one, and the list around it is short', () => {
  const ids = ['a', 'b', 'c', 'd']
  assert.equal(nextOpen(ids, 'b', new Set(['b', 'c'])), 'd')
  assert.equal(nextOpen(ids, 'd', new Set(['d', 'c'])), 'a')
  assert.equal(nextOpen(ids, 'd', new Set(ids)), undefined)
  assert.equal(rowsAround([...Array(10_000).keys()], 5_000).length, 60)
  assert.deepEqual(rowsAround([...Array(100).keys()], 99, 3), [97, 98, 99])
  assert.deepEqual(rowsAround([1], 0), [1])
  const mine = { name: 'correct', annotator: 'mira.lang@example.com' }
  assert.equal(ownLabel(cannedCases[0]!.labels, mine)?.id, ownLabelOfCase.id)
  assert.equal(ownLabel(cannedCases[0]!.labels, { ...mine, name: '__proto__' }), undefined)
})

test('files, rows and exports are read as they come', () => {
  assert.equal(importTypeOf('A.CSV'), 'text/csv')
  assert.equal(importTypeOf('a.jsonl'), 'application/x-ndjson')
  for (const wrong of ['a.xlsx', 'csv', 'a.constructor', '']) assert.equal(importTypeOf(wrong), undefined)
  const rows = refusedRows([
    { pointer: '/cases/11/id', detail: 'row 12: id is the id of row 1' },
    { pointer: '/cases/1', detail: 'row 2: is no JSON' },
    { pointer: '/x', detail: 'no' },
  ])
  assert.deepEqual(rows, [
    { row: 2, problem: 'is no JSON' },
    { row: 12, problem: 'id is the id of row 1' },
  ])
  assert.deepEqual(toExportBody({ ...emptyExport, agent: ' hello ', to: 'file', redact: 'email, ,phone' }), {
    filter: { limit: 1000, agent: 'hello' },
    expected: 'output',
    redaction: { redact: ['email', 'phone'] },
    format: 'ndjson',
  })
  for (const most of ['', '0', '1.5', '100001', 'x']) assert.equal(toExportBody({ ...emptyExport, most }), undefined)
  for (const wrong of ['', 'null', '[]', '{"kind":"run.started"}']) assert.equal(readExportProgress(wrong), undefined)
  assert.deepEqual(readExportProgress('{"kind":"run.progress","data":{"done":"3","message":"m"}}'), {
    done: undefined,
    message: 'm',
  })
  assert.deepEqual(readOutput(null), { cases: 0, runs: 0, hidden: 0, skipped: 0, hasFile: false })
})

test('a change of a dataset keeps the schemas that its dialog does not show', () => {
  const typed = { ...typedOf('demo', refunds), shared: 'staging, ,prod' }
  const body = { description: refunds.description, allowedNamespaces: ['staging', 'prod'] }
  assert.deepEqual(toDatasetBody(typed, refunds), { ...body, inputSchema: { type: 'string' }, expectedSchema: null })
  assert.deepEqual(toDatasetBody({ ...typed, shared: ' ' }, undefined), { ...body, allowedNamespaces: null })
})

test('pages of datasets in every look: no violation, no sideways scroll, hostile texts', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, cannedDatasets)
  const at = '/datasets/demo/refunds'
  await checkLooks(await startBrowser(t), url, [
    ['/datasets', 'nav button:has-text("Next")'],
    [at, 'nav button:has-text("Next")'],
    [`${at}?item=b`, 'aside section li'],
    [`${at}?pin=2`, 'text=Cases of pin 2'],
    [`${at}?show=archived`, 'text=No archived cases'],
    [`${at}?tab=label&show=all`, 'text=Your label'],
    [`${at}?tab=label&item=b&as=numeric`, 'text=Save label'],
    [`${at}?tab=pins`, 'nav button:has-text("Older")'],
    [`${at}?tab=exports&item=${exportRun.id}`, 'text=Download'],
  ])
})
