import type { KubeClient } from '#core/kube/client.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { Evaluator } from '../contract/points.ts'
import type { UnresolvedReference } from './suite-conditions.ts'

/** Dependencies of the reconciler of suites. */
export interface SuiteReconcilerOptions {
  readonly cluster: KubeClient
  readonly now: () => Date
  readonly evaluators: () => readonly Evaluator[]
  /** Why the dataset of a suite cannot be read; undefined if it can. */
  readonly findMissingDataset: (suite: EvalSuiteObject) => Promise<UnresolvedReference | undefined>
  /**
   * Queues the evaluations of a suite, and those of gates if it is accepted: an evaluation by evaluators that are refused would decide a gate once and for
   * all.
   */
  readonly evaluate: (suite: EvalSuiteObject, isAccepted: boolean) => Promise<void>
  /** The newest evaluation, for the status. */
  readonly newestOf: (suite: EvalSuiteObject) => Promise<NonNullable<EvalSuiteObject['status']>['evaluation']>
}
