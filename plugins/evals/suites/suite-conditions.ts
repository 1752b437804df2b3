import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import type { Evaluator } from '../contract/points.ts'
import { findSuiteProblems } from './check-suite.ts'

/** Why a reference of a suite leads nowhere. */
export interface UnresolvedReference {
  readonly reason: string
  readonly message: string
}

/** What the conditions of a suite depend on. */
export interface SuiteFindings {
  readonly evaluators: readonly Evaluator[]
  readonly unresolved: UnresolvedReference | undefined
}

/** The conditions of a suite. No gate is evaluated by a suite that is not accepted. Pure. */
export function suiteConditions(spec: EvalSuiteSpec, found: SuiteFindings): readonly ConditionValue[] {
  return [accepted(spec, found.evaluators), resolved(found.unresolved)]
}

function accepted(spec: EvalSuiteSpec, evaluators: readonly Evaluator[]): ConditionValue {
  const type = 'Accepted'
  const [problem] = findSuiteProblems(spec, evaluators)
  if (problem !== undefined) {
    const { reason, pointer, detail } = problem
    return { type, status: 'False', reason, message: `${toField(pointer)} ${detail}.` }
  }
  const count = spec.evaluators.length
  const message = `${count} ${count === 1 ? 'evaluator scores' : 'evaluators score'} each case.`
  return { type, status: 'True', reason: 'Accepted', message }
}

function resolved(unresolved: UnresolvedReference | undefined): ConditionValue {
  const type = 'ResolvedRefs'
  if (unresolved !== undefined) return { type, status: 'False', ...unresolved }
  return { type, status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
}

// In the field notation of `kubectl explain` and the API server.
function toField(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
}
