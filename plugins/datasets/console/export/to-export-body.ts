/** What was typed of an export. */
export interface TypedExport {
  readonly agent: string
  readonly most: string
  readonly to: 'dataset' | 'file'
  readonly hasExpected: boolean
  /** Names of what is removed, with commas between them. */
  readonly redact: string
}

/** Nothing typed. */
export const emptyExport: TypedExport = { agent: '', most: '1000', to: 'dataset', hasExpected: true, redact: '' }

/** The body of the export; undefined if the number is not from 1 to 100,000. Pure. */
export function toExportBody({ agent, most, to, hasExpected, redact }: TypedExport): object | undefined {
  const limit = Number(most.trim())
  if (most.trim() === '' || !Number.isInteger(limit) || limit < 1 || limit > 100_000) return undefined
  const names = redact
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return {
    filter: { limit, ...(agent.trim() === '' ? {} : { agent: agent.trim() }) },
    expected: hasExpected ? 'output' : 'none',
    ...(names.length === 0 ? {} : { redaction: { redact: names } }),
    ...(to === 'file' ? { format: 'ndjson' } : {}),
  }
}
