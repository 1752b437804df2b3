import { Fail } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'
import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import type { Evaluator } from '../contract/points.ts'
import { builtInEvaluators } from '../evaluators/built-in.ts'

/** A problem of a suite, by the JSON pointer of its field. */
export interface SuiteProblem {
  readonly pointer: string
  readonly detail: string
  readonly reason: 'UnknownEvaluator' | 'InvalidEvaluator' | 'NeedsExpected'
}

/** Finds what is wrong with the evaluators of a suite. Without `evaluators`, types of plugins are not judged. */
export function findSuiteProblems(
  { evaluators: used, online }: EvalSuiteSpec,
  evaluators?: readonly Evaluator[],
): readonly SuiteProblem[] {
  const known = evaluators ?? builtInEvaluators
  const isOnline = new Set(online?.evaluators)
  return used.flatMap(({ name, type, config = {} }, index): readonly SuiteProblem[] => {
    const pointer = `/spec/evaluators/${index}`
    const evaluator = known.find((one) => one.type === type)
    if (evaluator === undefined) {
      if (evaluators === undefined && type.includes('/')) return []
      return [{ pointer: `${pointer}/type`, detail: unknownType(known), reason: 'UnknownEvaluator' }]
    }
    if (isOnline.has(name) && evaluator.needsExpected?.(config) === true)
      return [{ pointer, detail: 'needs an expected output, which no run in production has', reason: 'NeedsExpected' }]
    return evaluator.check(config).map((problem) => ({
      pointer: `${pointer}/config${problem.pointer}`,
      detail: problem.detail,
      reason: 'InvalidEvaluator',
    }))
  })
}

function unknownType(known: readonly Evaluator[]): string {
  return `is not a type of this installation; it has ${known.map(({ type }) => type).join(', ')}`
}

/** Refuses a suite that is written through the API. */
export async function checkSuite(_caller: unknown, { spec }: { readonly spec: unknown }): Promise<void> {
  if (!isSuite(spec)) return
  const errors = findSuiteProblems(spec).map(({ pointer, detail }) => ({ pointer, detail }))
  if (errors.length > 0) throw new Fail('invalid_body', undefined, { errors: errors.slice(0, 20) })
}

// Other shapes are refused by the API server with the path of the field.
function isSuite(spec: unknown): spec is EvalSuiteSpec {
  if (!isObject(spec)) return false
  const { evaluators, online } = spec
  const isEvaluator = (one: unknown): boolean =>
    isObject(one) && typeof one['type'] === 'string' && (one['config'] === undefined || isObject(one['config']))
  const named = isObject(online) ? online['evaluators'] : undefined
  return Array.isArray(evaluators) && evaluators.every(isEvaluator) && (named === undefined || Array.isArray(named))
}
