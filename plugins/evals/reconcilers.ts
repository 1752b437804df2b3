import { toConditionsStatus } from '#core/controllers/conditions.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { Evaluator } from './contract/points.ts'
import { suiteConditions } from './suites/suite-conditions.ts'
import { findMissingRoute, judgeReferences } from './suites/suite-references.ts'

/** Dependencies for the status of suites. */
export interface SuiteStatusOptions {
  readonly cluster: KubeClient
  readonly now: () => Date
  readonly evaluators: () => readonly Evaluator[]
}

const WHILE_UNRESOLVED_MS = 15_000

/** Writes the conditions of suites. */
export function suiteReconciler(options: SuiteStatusOptions): Reconciler {
  const { cluster, now, evaluators } = options
  const index = createReferenceIndex()
  return {
    name: 'evalsuites',
    resource: EvalSuite,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [{ resource: ModelRoute, toRefs: async (route) => index.referrersOf(route) }],
    reconcile: async (ref) => {
      const suite = await cluster.get<EvalSuiteObject>(EvalSuite, ref).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      })
      const routes = suite === undefined ? [] : judgeReferences(suite)
      index.set(ref, routes)
      if (suite === undefined || suite.metadata.deletionTimestamp !== undefined) return {}
      const unresolved = await findMissingRoute(cluster, routes)
      const values = suiteConditions(suite.spec, { evaluators: evaluators(), unresolved })
      const status = { ...suite.status, ...toConditionsStatus(suite, values, now()) }
      if (!(await writeStatus(cluster, EvalSuite, suite, status))) return { requeueAfterMs: 0 }
      return unresolved === undefined ? {} : { retryAfterMs: WHILE_UNRESOLVED_MS }
    },
  }
}
