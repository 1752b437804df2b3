import { isObject } from '#core/json/is-object.ts'
import type { Judge, Judging } from './keyword.ts'
import { keywords } from './keywords.ts'
import { findReferred, hasOwnBase } from './local-reference.ts'
import { TooCostly, createSpend, stepsOf } from './steps.ts'
import type { Spend } from './steps.ts'
import { allFit } from './verdict.ts'
import type { SchemaVerdict } from './verdict.ts'

// Bounds the time of one check to tens of milliseconds. A list of more than about 60,000 numbers exceeds it.
const MOST_STEPS = 200_000
// References may lead back to themselves, without an end.
const MAX_DEPTH = 128

interface Run {
  readonly root: unknown
  readonly spend: Spend
  /** Up to draft 7, a reference hides the keywords beside it. */
  readonly hidesSiblings: boolean
}

/**
 * Judges a value by a JSON Schema of a server. It is interpreted in at most `mostSteps`: no code is made of it, no expression in it runs,
 * and nothing is fetched. Undefined: no keyword that is interpreted is broken, and others are there. Value and schema are JSON of bounded
 * depth.
 */
export function judgeBySchema(value: unknown, schema: unknown, mostSteps = MOST_STEPS): SchemaVerdict | 'too_costly' {
  const dialect = isObject(schema) ? String(schema['$schema'] ?? '') : ''
  const hidesSiblings = /\/draft-0[3-7]\//.test(dialect)
  try {
    return judgeAt({ root: schema, spend: createSpend(mostSteps), hidesSiblings }, value, schema, 0)
  } catch (error) {
    if (error instanceof TooCostly) return 'too_costly'
    throw error
  }
}

function judgeAt(run: Run, value: unknown, schema: unknown, depth: number): SchemaVerdict {
  const { root, spend, hidesSiblings } = run
  if (depth > MAX_DEPTH) throw new TooCostly('The schema refers to itself too often.')
  spend(1)
  if (typeof schema === 'boolean') return schema
  if (!isObject(schema) || (schema !== root && hasOwnBase(schema))) return undefined
  const judge: Judge = (one, by) => judgeAt(run, one, by, depth + 1)
  const refer = (reference: unknown): SchemaVerdict => {
    if (typeof reference !== 'string') return undefined
    spend(stepsOf(reference))
    return judge(value, findReferred(root, reference))
  }
  const names = hidesSiblings && Object.hasOwn(schema, '$ref') ? ['$ref'] : Object.keys(schema)
  spend(names.length)
  return allFit(names, (name) => judgeKeyword(name, { value, schema, judge, refer, spend }))
}

function judgeKeyword(name: string, judging: Omit<Judging, 'given'>): SchemaVerdict {
  const keyword = Object.hasOwn(keywords, name) ? keywords[name] : undefined
  return keyword?.({ ...judging, given: judging.schema[name] })
}
