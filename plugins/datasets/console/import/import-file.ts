const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
}

/** The media type of a file by its name; undefined for one that cannot be imported. Pure. */
export function importTypeOf(name: string): string | undefined {
  const ending = /\.([A-Za-z]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(types, ending) ? types[ending] : undefined
}

/** A row that was refused. */
export interface RefusedRow {
  readonly row: number
  readonly problem: string
}

/** The refused rows of a problem, by their numbers. Pure. */
export function refusedRows(errors: readonly { readonly pointer: string; readonly detail: string }[]): RefusedRow[] {
  const rows = errors.flatMap(({ pointer, detail }) => {
    const [, index] = /^\/cases\/(\d+)(?:\/|$)/.exec(pointer) ?? []
    if (index === undefined) return []
    const row = Number(index) + 1
    return [{ row, problem: detail.replace(`row ${row}: `, '') }]
  })
  return rows.toSorted((a, b) => a.row - b.row)
}
