import { isTest } from './sources.ts'
import type { Rule } from './rule.ts'

/** `export type Run = ...` of `schemas/api` in a file makes it a mapper of responses. */
const apiSchema = /^schemas\/api\//
// The last page of a list, and a list of one page, have none.
const mayBeConstant = new Set(['nextCursor'])

/**
 * A field that a mapper of responses sets to null and to nothing else: it looks as if it were built. Judged by file, since a mapper has
 * its own file.
 */
export const constantNulls: Rule = {
  name: 'R2-M4: no mapper of responses has a field that is always null',
  check: ({ path, code, imports }) => {
    if (isTest(path) || !imports.some(({ target }) => apiSchema.test(target))) return []
    const names = new Set([...code.matchAll(/[{,]\s*(\w+): null\b/g)].map(([, name = '']) => name))
    return [...names]
      .filter((name) => !mayBeConstant.has(name) && !hasValue(code, name))
      .map((name) => `${path}: ${name} is always null`)
  },
  bad: {
    path: 'plugins/runs/read/to-run.ts',
    text: "import type { Run } from '#schemas/api/runs.ts'\nconst toRun = (row: Row): Run => ({ id: row.id, cost: null })",
  },
}

// Another value of the field, or its shorthand.
function hasValue(code: string, name: string): boolean {
  return new RegExp(`[{,?]\\s*${name}(?:: (?!null\\b)|\\s*[,}])`).test(code)
}
