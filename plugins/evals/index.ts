import { Type } from 'typebox'
import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { suiteEvaluator } from './contract/points.ts'
import { builtInEvaluators } from './evaluators/built-in.ts'
import { evalsAccess, suiteKind } from './kinds.ts'
import { suiteReconciler } from './reconcilers.ts'

/** Evaluations of revisions of agents. */
export const evals = definePlugin({
  contract: 1,
  name: 'evals',
  summary: 'Evaluations: suites of cases and evaluators that score revisions of agents.',
  settings: Type.Object({}, { additionalProperties: false }),
  kinds: [suiteKind],
  access: evalsAccess,
  points: [suiteEvaluator],
  create: (core) => ({ core }),
  contributions: () => builtInEvaluators.map((evaluator) => contribute(suiteEvaluator, evaluator)),
  reconcilers: ({ core }, { cluster }) => [
    suiteReconciler({
      cluster,
      now: core.now,
      evaluators: () => core.extensions(suiteEvaluator),
    }),
  ],
})
