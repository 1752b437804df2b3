import { parserOf } from './type-parsers.ts'

/** Column of a result: its name and the parser of its type. */
export interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** Converts the fields of a row description. */
export function toColumns(
  fields: readonly { readonly name: string; readonly dataTypeID: number }[],
): readonly Column[] {
  return fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
}

/** Converts the strings of a row to an object with the values of its columns. */
export function decodeRow(columns: readonly Column[], texts: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [index, { name, parse }] of columns.entries()) {
    const text = texts[index]
    row[name] = text === null || text === undefined ? null : parse(text)
  }
  return row
}
