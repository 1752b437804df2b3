import { Fail } from '#core/errors/domain-error.ts'
import { parseJson } from '#core/http/input/body.ts'
import type { ImportRow } from './import-row.ts'

const LINE_FEED = 0x0a
const blank = /^\s*$/

/** Reads NDJSON: a value per line. Rows are lines; empty ones are skipped. */
export function* readNdjson(bytes: Buffer): Generator<ImportRow> {
  let row = 0
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, from)
    const line = bytes.subarray(from, end === -1 ? bytes.length : end)
    from = end === -1 ? bytes.length : end + 1
    row++
    if (line.length < 8 && blank.test(line.toString('latin1'))) continue
    yield readLine(row, line)
  }
}

function readLine(row: number, line: Buffer): ImportRow {
  try {
    return { row, value: parseJson(line) }
  } catch (error) {
    if (!(error instanceof Fail)) throw error
    const [{ pointer = '', detail = 'is not valid JSON' } = {}] = error.errors
    return { row, problem: pointer === '' ? detail : `${pointer.slice(1)} ${detail}` }
  }
}
