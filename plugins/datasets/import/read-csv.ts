import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { CsvError } from 'csv-parse/sync'
import { Fail } from '#core/errors/domain-error.ts'
import { parseJson } from '#core/http/input/body.ts'
import { isObject } from '#core/json/is-object.ts'
import type { ImportRow } from './import-row.ts'

const MAX_COLUMNS = 200
const CHUNK = 64 * 1024
const plain = ['id', 'input', 'expected', 'tags']
const asJson = ['input_json', 'expected_json', 'metadata_json']
const METADATA = 'metadata.'

/**
 * Reads CSV with names in its first line. `input` and `expected` are strings, `input_json`, `expected_json` and `metadata_json` JSON, `tags` are
 * separated by `;`, and `metadata.<name>` is a field of the metadata. An empty cell is an absent field. Rows are numbered without the first line.
 */
export async function* readCsv(bytes: Buffer, maxRecordBytes: number): AsyncGenerator<ImportRow> {
  const parser = Readable.from(chunksOf(bytes)).pipe(
    parse({ bom: true, encoding: 'utf8', max_record_size: maxRecordBytes, skip_empty_lines: true }),
  )
  let columns: readonly string[] | undefined
  let row = 0
  try {
    for await (const record of parser as AsyncIterable<readonly string[]>) {
      if (columns === undefined) columns = readColumns(record)
      else yield readRecord(++row, columns, record)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // Its message may quote the file.
    yield { row: row + 1, problem: `is not valid CSV (${error.code})` }
  }
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}

function readColumns(names: readonly string[]): readonly string[] {
  const columns = names.map((name) => name.trim())
  const unknown = columns.find((name) => ![...plain, ...asJson].includes(name) && !isMetadata(name))
  if (columns.length > MAX_COLUMNS) throw refuseHeader(`has more than ${MAX_COLUMNS} columns`)
  if (unknown !== undefined)
    throw refuseHeader(
      `has the column ${JSON.stringify(unknown.slice(0, 64))}; columns are ${[...plain, ...asJson].join(', ')} and metadata.<name>`,
    )
  if (new Set(columns).size < columns.length) throw refuseHeader('names a column twice')
  for (const name of ['input', 'expected'])
    if (columns.includes(name) && columns.includes(`${name}_json`))
      throw refuseHeader(`has both ${name} and ${name}_json`)
  if (!columns.includes('input') && !columns.includes('input_json'))
    throw refuseHeader('has no column input or input_json')
  return columns
}

function isMetadata(name: string): boolean {
  return name.startsWith(METADATA) && name.length > METADATA.length && name !== `${METADATA}__proto__`
}

function refuseHeader(detail: string): Fail {
  return new Fail('invalid_body', `The first line ${detail}.`, {
    errors: [{ pointer: '', detail: `first line ${detail}` }],
  })
}

function readRecord(row: number, columns: readonly string[], record: readonly string[]): ImportRow {
  const cells = columns.map((name, index): readonly [string, string] => [name, record[index] ?? ''])
  const value: Record<string, unknown> = {}
  const metadata: Record<string, unknown> = {}
  for (const [name, cell] of cells.filter(([, text]) => text !== '')) {
    const read = asJson.includes(name) ? readJson(cell) : { value: cell }
    if (read === undefined) return { row, problem: `${name} is not valid JSON` }
    if (name === 'metadata_json' && !isObject(read.value)) return { row, problem: 'metadata_json must be an object' }
    if (name === 'tags') value['tags'] = cell.split(';').map((tag) => tag.trim())
    else if (name === 'metadata_json') Object.assign(metadata, read.value)
    else if (name.startsWith(METADATA)) metadata[name.slice(METADATA.length)] = cell
    else value[name.replace('_json', '')] = read.value
  }
  return { row, value: Object.keys(metadata).length === 0 ? value : { ...value, metadata } }
}

function readJson(cell: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(Buffer.from(cell)) }
  } catch (error) {
    if (error instanceof Fail) return undefined
    throw error
  }
}
