import { parse } from 'csv-parse/sync'
import { IngestFailure, TextBuilder } from './parsed-document.ts'
import type { ParsedDocument, ParseLimits } from './parsed-document.ts'

const MAX_COLUMNS = 1_000
const separators = [',', ';', '\t'] as const

/** Writes each record as one paragraph `column: value`, with the names from the first line, so that a chunk contains whole records. */
export function parseCsv(csv: string, { maxCharacters }: ParseLimits): ParsedDocument {
  const text = new TextBuilder(maxCharacters)
  let names: readonly string[] | undefined
  try {
    parse(csv, {
      bom: true,
      delimiter: separatorOf(csv),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: 1_000_000,
      // Records are not kept: each is written immediately.
      on_record: (record: readonly string[]) => {
        if (record.length > MAX_COLUMNS) throw new IngestFailure('too_large')
        if (names === undefined) names = record
        else text.add(`${recordText(names, record)}\n\n`)
        return null
      },
    })
  } catch (error) {
    throw error instanceof IngestFailure ? error : new IngestFailure('unreadable')
  }
  return { text: text.toString().trimEnd(), pages: [] }
}

function recordText(names: readonly string[], record: readonly string[]): string {
  const fields = record.map((value, index) => {
    const name = names[index]?.trim() ?? ''
    return name === '' ? value.trim() : `${name}: ${value.trim()}`
  })
  return fields.filter((field) => field !== '').join('; ')
}

function separatorOf(csv: string): string {
  const end = csv.indexOf('\n')
  const first = csv.slice(0, Math.min(end === -1 ? csv.length : end, 10_000))
  const counts = separators.map((one) => first.split(one).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}
