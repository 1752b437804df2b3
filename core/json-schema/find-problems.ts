import { isObject } from '#core/json/is-object.ts'
import { describeKeyword } from './describe-keyword.ts'
import type { SchemaProblem } from './describe-keyword.ts'
import { beginCheck, judge, judgeKeyword, keywordsOf } from './judge.ts'
import type { JudgedValue, SchemaCheck } from './judge.ts'
import { schemaParts } from './parts.ts'
import { TooCostly } from './steps.ts'

/** Named, since values and schemas are both of any type. */
interface Subject {
  readonly value: unknown
  readonly schema: unknown
  readonly pointer: string
}

interface Located extends JudgedValue {
  readonly pointer: string
}

interface Search {
  readonly check: SchemaCheck
  readonly problems: SchemaProblem[]
}

const MAX_PROBLEMS = 20

/**
 * Finds the parts of a value that violate an untrusted JSON Schema: at most 20, each by its JSON pointer. `pointer` is that of the value.
 * Keywords that are not interpreted, such as `pattern`, refuse nothing. A value that takes too many steps is refused as a whole.
 */
export function findProblems({ value, schema, pointer }: Subject): readonly SchemaProblem[] {
  const search: Search = { check: beginCheck(schema), problems: [] }
  try {
    visit(search, { value, schema, pointer, depth: 0 })
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error
    if (search.problems.length === 0) return [{ pointer, detail: 'takes too long to check against the schema' }]
  }
  return search.problems
}

function visit(search: Search, at: Located): void {
  const { check, problems } = search
  if (problems.length >= MAX_PROBLEMS || judge(check, at) !== false) return
  if (!isObject(at.schema)) {
    problems.push({ pointer: at.pointer, detail: 'is not allowed by the schema' })
    return
  }
  for (const name of keywordsOf(check, at.schema)) {
    if (judgeKeyword(check, at, name) !== false) continue
    visitKeyword(search, at, at.schema, name)
    // Other keywords would only repeat that the value is of another type.
    if (name === 'type') return
  }
}

function visitKeyword(search: Search, at: Located, schema: Readonly<Record<string, unknown>>, name: string): void {
  const { check, problems } = search
  const { value, pointer, depth } = at
  const parts = schemaParts(name, { value, schema, root: check.root })
  if (parts === undefined) {
    const found = describeKeyword(name, schema, value)
    for (const { pointer: below, detail } of found.slice(0, MAX_PROBLEMS - problems.length))
      problems.push({ pointer: `${pointer}${below}`, detail })
    return
  }
  for (const part of parts) {
    if (problems.length >= MAX_PROBLEMS) return
    visit(search, { value: part.value, schema: part.schema, pointer: `${pointer}${part.pointer}`, depth: depth + 1 })
  }
}
