import { isObject } from '#core/json/is-object.ts'
import type { Judge } from './keyword.ts'
import { keywords } from './keywords.ts'
import { findReferred, hasOwnBase } from './local-reference.ts'
import { TooCostly, createSpend, stepsOf } from './steps.ts'
import type { Spend } from './steps.ts'
import { allFit } from './verdict.ts'
import type { SchemaVerdict } from './verdict.ts'

// Bounds the time of one check to tens of milliseconds. A list of more than about 60,000 numbers exceeds it.
const MAX_STEPS = 200_000
// References may be circular.
const MAX_DEPTH = 128

/** One check of a value by a schema. */
export interface SchemaCheck {
  readonly root: unknown
  readonly spend: Spend
  /** Up to draft 7, a reference hides the keywords beside it. */
  readonly hidesSiblings: boolean
}

/** A value, and the schema it is judged by. Both are `depth` references and keywords below the root. */
export interface JudgedValue {
  readonly value: unknown
  readonly schema: unknown
  readonly depth: number
}

/**
 * Judges a value by an untrusted JSON Schema. The schema is interpreted in at most `mostSteps`: no code is generated from it, no expression in
 * it runs, and nothing is fetched. Returns undefined if the value violates no interpreted keyword and the schema has others. Value and schema
 * are JSON of bounded depth.
 */
export function judgeBySchema(value: unknown, schema: unknown, mostSteps = MAX_STEPS): SchemaVerdict | 'too_costly' {
  try {
    return judge(beginCheck(schema, mostSteps), { value, schema, depth: 0 })
  } catch (error) {
    if (error instanceof TooCostly) return 'too_costly'
    throw error
  }
}

/** Starts a check of at most `mostSteps`. */
export function beginCheck(schema: unknown, mostSteps = MAX_STEPS): SchemaCheck {
  const dialect = isObject(schema) ? String(schema['$schema'] ?? '') : ''
  return { root: schema, spend: createSpend(mostSteps), hidesSiblings: /\/draft-0[3-7]\//.test(dialect) }
}

/** Judges by a schema. Throws `TooCostly`. */
export function judge(check: SchemaCheck, judged: JudgedValue): SchemaVerdict {
  const { schema, depth } = judged
  if (depth > MAX_DEPTH) throw new TooCostly('The schema refers to itself too often.')
  check.spend(1)
  if (typeof schema === 'boolean') return schema
  if (!isObject(schema) || (schema !== check.root && hasOwnBase(schema))) return undefined
  return allFit(keywordsOf(check, schema), (name) => judgeKeyword(check, judged, name))
}

/** Names of the keywords of a schema that apply. */
export function keywordsOf({ spend, hidesSiblings }: SchemaCheck, schema: object): readonly string[] {
  const names = hidesSiblings && Object.hasOwn(schema, '$ref') ? ['$ref'] : Object.keys(schema)
  spend(names.length)
  return names
}

/** Judges by one keyword of a schema. */
export function judgeKeyword(check: SchemaCheck, { value, schema, depth }: JudgedValue, name: string): SchemaVerdict {
  const keyword = Object.hasOwn(keywords, name) ? keywords[name] : undefined
  if (keyword === undefined || !isObject(schema)) return undefined
  const { root, spend } = check
  const below: Judge = (one, by) => judge(check, { value: one, schema: by, depth: depth + 1 })
  const refer = (reference: unknown): SchemaVerdict => {
    if (typeof reference !== 'string') return undefined
    spend(stepsOf(reference))
    return below(value, findReferred(root, reference))
  }
  return keyword({ value, schema, given: schema[name], judge: below, refer, spend })
}
