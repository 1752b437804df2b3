/** What an export did, as its run says. */
export interface ExportFigures {
  readonly cases: number
  readonly runs: number
  readonly hidden: number
  readonly skipped: number
  readonly hasFile: boolean
}

/** Reads the output of the run of an export; of another one, nothing was done. Pure. */
export function readOutput(output: unknown): ExportFigures {
  const given = typeof output === 'object' && output !== null ? (output as Readonly<Record<string, unknown>>) : {}
  const count = (name: string): number => (typeof given[name] === 'number' ? given[name] : 0)
  return {
    cases: count('cases'),
    runs: count('runs'),
    hidden: count('hidden'),
    skipped: count('skipped'),
    hasFile: typeof given['file'] === 'string',
  }
}
