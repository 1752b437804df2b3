import type { Evaluator } from '../contract/points.ts'
import { http, modelJudge } from './outside-evaluators.ts'
import { jsonSchema, toolSequence } from './structure-evaluators.ts'
import { contains, exact, regex } from './text-evaluators.ts'

/** Evaluators of the platform. */
export const builtInEvaluators: readonly Evaluator[] = [
  exact,
  contains,
  regex,
  jsonSchema,
  toolSequence,
  modelJudge,
  http,
]
