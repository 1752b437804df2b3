import { objectsOf, stringOf } from '../json/json-value.ts'
import { forbiddenField, invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { compileExpression, reasonOf } from '../schema/cel-program.ts'
import type { CelNode } from '../schema/cel-program.ts'
import { estimateLoops, undeclaredField } from './rule-types.ts'
import { largestCount } from './schema-counts.ts'
import { partsOf } from './schema-paths.ts'
import type { RawSchema } from './schema-paths.ts'

/** Estimated iterations of one rule, as the limit of kube-apiserver for one expression. */
const MAX_LOOPS = 10_000_000

const ROOT = '.openAPIV3Schema'
const isRoot = (at: string): boolean => at.includes(`${ROOT}.x-kubernetes-validations[`)

/** Rules of one version. */
export const MAX_RULES = 1_000

interface Context {
  /** Maximum number of values to which the rules of this schema apply. */
  readonly values: number
  /** Path of the list whose items cannot be matched with those of the old object: `oldSelf` is undefined there. */
  readonly unmatched?: string
  readonly count: { rules: number }
}

/** Faults of the expressions of a valid schema: syntax, types, undeclared fields, cost, use of `oldSelf`. */
export function ruleFaults(
  schema: RawSchema,
  path: string,
  context: Context = { values: 1, count: { rules: 0 } },
): Cause[] {
  const own = objectsOf(schema['x-kubernetes-validations']).flatMap((rule, i) => {
    const at = `${path}.x-kubernetes-validations[${i}]`
    context.count.rules += 1
    if (context.count.rules > MAX_RULES) return []
    const { messageExpression, optionalOldSelf } = rule
    const message = stringOf(messageExpression)
    return [
      ...expressionFaults({ text: stringOf(rule['rule']), at: `${at}.rule`, schema, context }),
      ...(message === '' ? [] : expressionFaults({ text: message, at: `${at}.messageExpression`, schema, context })),
      ...(optionalOldSelf === undefined
        ? []
        : [forbiddenField(`${at}.optionalOldSelf`, 'optionalOldSelf is not supported')]),
    ]
  })
  const below = partsOf(schema, path).flatMap((each) =>
    ruleFaults(each.schema, each.path, contextBelow(schema, each.role, path, context)),
  )
  const all = [...own, ...below]
  if (path.endsWith(ROOT) && context.count.rules > MAX_RULES)
    return [forbiddenField(path, `at most ${MAX_RULES} rules are allowed per version`), ...all]
  return all
}

function contextBelow(schema: RawSchema, role: string, path: string, context: Context): Context {
  if (role === 'property')
    return schema['x-kubernetes-map-type'] === 'atomic' ? { ...context, unmatched: context.unmatched ?? path } : context
  const values = Math.min(context.values * largestCount(schema), Number.MAX_SAFE_INTEGER)
  const isMatched = role === 'values' || schema['x-kubernetes-list-type'] === 'map'
  return { ...context, values, ...(isMatched ? {} : { unmatched: context.unmatched ?? path }) }
}

interface Expression {
  readonly text: string
  readonly at: string
  readonly schema: RawSchema
  readonly context: Context
}

function expressionFaults({ text, at, schema, context }: Expression): Cause[] {
  let tree: CelNode
  try {
    tree = compileExpression(text)
  } catch (error) {
    return [invalidValue(at, text, `compilation failed: ${reasonOf(error)}`)]
  }
  const unknown = undeclaredField(tree, schema, isRoot(at))
  if (unknown !== undefined) return [invalidValue(at, text, `compilation failed: undefined field '${unknown}'`)]
  if (context.unmatched !== undefined && /\boldSelf\b/.test(text)) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.unmatched}`
    return [invalidValue(at, text, why)]
  }
  const loops = estimateLoops(tree, schema) * context.values
  return loops > MAX_LOOPS ? [forbiddenField(at, overBudget(loops))] : []
}

function overBudget(loops: number): string {
  const factor = loops / MAX_LOOPS
  const shown = factor > 100 ? 'more than 100' : factor.toFixed(factor < 1.5 ? 6 : 1)
  return `estimated rule cost exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
