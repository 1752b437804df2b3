import assert from 'node:assert/strict'
import test from 'node:test'
import { parse } from 'yaml'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import { createPrinter } from './create-printer.ts'
import type { OutputFormat } from './create-printer.ts'

interface Row {
  readonly id: string
  readonly at: string
  readonly note: string | null
}

const table: ResourceTable<Row> = {
  name: ({ id }) => `thing/${id}`,
  columns: { ID: ({ id }) => id, AGE: ({ at }) => new Date(at) },
  wide: { NOTE: ({ note }) => note },
}
const now = new Date('2026-11-29T12:00:00Z')
const rows: readonly Row[] = [
  { id: 'first', at: '2026-11-26T11:00:00Z', note: null },
  { id: 'b', at: '2026-11-29T11:58:59Z', note: 'a\tb\n\u001b[2J\u009b\u202eé' },
]

async function print(format: OutputFormat, items: readonly Row[], width?: number, nextCursor: string | null = null) {
  let [out, err] = ['', '']
  const target = { isTerminal: width !== undefined, width, now }
  const write = { out: (text: string) => (out += text), err: (text: string) => (err += text) }
  await createPrinter(format, { ...target, ...write }).list(table, { items, nextCursor })
  return { out, err }
}

test('a terminal has a header, ages and its own width; a pipe has tabs, times and every character', async () => {
  assert.deepEqual(await print('table', rows, 80), { out: 'ID      AGE\nfirst   3d\nb       1m\n', err: '' })
  assert.deepEqual(await print('table', rows), {
    out: 'first\t2026-11-26T11:00:00.000Z\nb\t2026-11-29T11:58:59.000Z\n',
    err: '',
  })
  assert.equal((await print('wide', rows, 20)).out.split('\n')[2], 'b       1m    a\\u00…')
  assert.equal(
    (await print('wide', rows)).out.split('\n')[1],
    'b\t2026-11-29T11:58:59.000Z\t' + String.raw`a\u0009b\u000a\u001b[2J\u009b\u202eé`,
  )
  assert.deepEqual(await print('name', rows), { out: 'thing/first\nthing/b\n', err: '' })
})

test('no rows print nothing, and on a terminal a sentence on standard error', async () => {
  assert.deepEqual(await print('table', [], 80), { out: '', err: 'Nothing was found.\n' })
  assert.deepEqual(await print('table', []), { out: '', err: '' })
  assert.equal((await print('name', rows, undefined, 'c')).err, 'These are the first 2; --limit shows more.\n')
})

test('documents have the values unchanged, and no character that acts on a terminal', async () => {
  for (const format of ['json', 'yaml'] as const) {
    const { out, err } = await print(format, rows, 80, 'c')
    assert.equal(err, '')
    assert.doesNotMatch(out, /[^\P{Cc}\n]/u)
    const read: unknown = format === 'json' ? JSON.parse(out) : parse(out)
    assert.deepEqual(read, { items: rows, nextCursor: 'c' })
  }
})
