import assert from 'node:assert/strict'
import { appendFileSync, rmSync } from 'node:fs'
import type { Form } from '../../flows/platform/running-platform.ts'

/** Counts results by category and column, and keeps the first mismatches. */
export interface Summary {
  /** Adds to a column of a category. */
  add(category: string, column: string, by?: number): void
  /** Runs a check. A failure counts as a mismatch of the category and is not thrown. */
  hold(category: string, check: () => Promise<unknown>): Promise<void>
  /** Throws the first mismatches, if there are any. */
  settle(): void
}

/** One category of one form, as a line of the report. */
export interface SummaryLine {
  readonly form: Form
  readonly category: string
  readonly columns: Readonly<Record<string, number>>
  readonly mismatches: number
}

const SHOWN = 5

/** Creates the summary of one form. With `MESH_AUTHZ_REPORT`, `settle` adds its lines to that file. */
export function createSummary(form: Form): Summary {
  let counted = new Map<string, { columns: Record<string, number>; mismatches: number }>()
  let shown: unknown[] = []
  const of = (category: string) => {
    const known = counted.get(category) ?? { columns: {}, mismatches: 0 }
    counted.set(category, known)
    return known
  }
  return {
    add: (category, column, by = 1) => {
      const { columns } = of(category)
      columns[column] = (columns[column] ?? 0) + by
    },
    hold: async (category, check) => {
      try {
        await check()
      } catch (error) {
        of(category).mismatches++
        if (shown.length < SHOWN) shown.push(error)
      }
    },
    settle: () => {
      const lines = [...counted].map(([category, found]): SummaryLine => ({ form, category, ...found }))
      const failed = shown
      counted = new Map()
      shown = []
      const file = process.env.MESH_AUTHZ_REPORT
      if (file !== undefined) writeLines(file, lines)
      const mismatches = lines.reduce((sum, line) => sum + line.mismatches, 0)
      if (mismatches > 0) throw new AggregateError(failed, `${mismatches} mismatches: ${failed.map(String).join('\n')}`)
      assert.ok(lines.length > 0, 'nothing was asked')
    },
  }
}

let isFirst = true

// The second run of a file that failed replaces the lines of the first.
function writeLines(file: string, lines: readonly SummaryLine[]): void {
  if (isFirst) rmSync(file, { force: true })
  isFirst = false
  for (const line of lines) appendFileSync(file, `${JSON.stringify(line)}\n`)
}
