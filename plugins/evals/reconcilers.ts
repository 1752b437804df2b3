import { toConditionsStatus } from '#core/controllers/conditions.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { evaluationFinished, evaluationRequested } from './contract/events.ts'
import { suiteConditions } from './suites/suite-conditions.ts'
import type { SuiteReconcilerOptions } from './suites/reconciler-options.ts'
import { findMissingRoute, judgeReferences } from './suites/suite-references.ts'

// A dataset is no object of the cluster, so no watch reports its change.
const POLL_MS = 30_000

/** Writes the status of suites, and starts their evaluations. */
export function suiteReconciler(options: SuiteReconcilerOptions): Reconciler {
  const { cluster } = options
  const index = createReferenceIndex()
  return {
    name: 'evalsuites',
    resource: EvalSuite,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [
      { resource: ModelRoute, toRefs: async (route) => index.referrersOf(route) },
      { resource: AgentDeployment, toRefs: async (agent) => suiteOf(agent) },
      {
        events: [evaluationRequested, evaluationFinished],
        toRefs: async ({ subject: { namespace = '', name } }) => [toRef(namespace, name)],
      },
    ],
    reconcile: async (ref) => {
      const suite = await cluster.get<EvalSuiteObject>(EvalSuite, ref).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      })
      index.set(ref, suite === undefined ? [] : judgeReferences(suite))
      if (suite === undefined || suite.metadata.deletionTimestamp !== undefined) return {}
      return (await reconcileSuite(options, suite)) ? { requeueAfterMs: POLL_MS } : { requeueAfterMs: 0 }
    },
  }
}

async function reconcileSuite(options: SuiteReconcilerOptions, suite: EvalSuiteObject): Promise<boolean> {
  const { cluster, now, evaluators } = options
  const unresolved =
    (await options.findMissingDataset(suite)) ?? (await findMissingRoute(cluster, judgeReferences(suite)))
  const values = suiteConditions(suite.spec, { evaluators: evaluators(), unresolved })
  await options.evaluate(
    suite,
    values.some(({ type, status }) => type === 'Accepted' && status === 'True'),
  )
  const evaluation = await options.newestOf(suite)
  const conditions = toConditionsStatus(suite, values, now())
  const status = { ...conditions, ...(evaluation === undefined ? {} : { evaluation: replacing(suite, evaluation) }) }
  return writeStatus(cluster, EvalSuite, suite, status)
}

type Shown = NonNullable<NonNullable<EvalSuiteObject['status']>['evaluation']>

// A merge patch keeps what the evaluation before had, such as its score, unless it is null.
function replacing({ status }: EvalSuiteObject, evaluation: Shown): Shown {
  const gone = Object.keys(status?.evaluation ?? {}).filter((key) => !(key in evaluation))
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...evaluation }
}

function suiteOf(agent: KubeObject): readonly ObjectRef[] {
  const { spec, metadata } = agent as AgentDeploymentObject
  return spec.evalGate === undefined ? [] : [toRef(metadata.namespace ?? '', spec.evalGate.suiteRef.name)]
}

function toRef(namespace: string, name: string): ObjectRef {
  return { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
}
