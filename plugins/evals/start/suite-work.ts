import type { DatasetsSystem } from '#plugins/datasets/contract/api.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { SuiteReconcilerOptions } from '../suites/reconciler-options.ts'
import type { EvalsServices } from '../contract/services.ts'
import { readEvaluations } from '../store/evaluations.ts'
import { storeTargets } from './store-targets.ts'
import { queueEvaluations } from './queue-evaluations.ts'
import { startGatedEvaluations } from './start-gated.ts'
import type { ManagerIdentity } from './start-gated.ts'

/** What the reconciler of suites does with store and datasets. */
export function createSuiteWork(
  services: EvalsServices,
  manager: ManagerIdentity,
  datasets: DatasetsSystem,
): Pick<SuiteReconcilerOptions, 'findMissingDataset' | 'evaluate' | 'newestOf'> {
  return {
    findMissingDataset: async ({ spec, metadata: { namespace = '' } }) => {
      const found = await datasets.find({ namespace, ...spec.datasetRef }, namespace)
      return found.found ? undefined : { reason: found.reason, message: `spec.datasetRef: ${found.detail}` }
    },
    evaluate: async (suite, isAccepted) => {
      await storeTargets(services, manager.cluster, suite)
      if (isAccepted) await startGatedEvaluations(services, manager, suite)
      await queueEvaluations(services, datasets, suite)
    },
    newestOf: (suite) => newestOf(services, suite),
  }
}

async function newestOf({ store }: EvalsServices, { metadata: { uid: suiteUid } }: EvalSuiteObject) {
  const [newest] = await readEvaluations(store.reader<EvalTables>(), { suiteUid }, 1)
  if (newest === undefined) return undefined
  const { id, agent, revision, phase, score, reason, finished_at: finishedAt } = newest
  return {
    id,
    agent,
    revision,
    phase,
    ...(score === null ? {} : { score }),
    ...(reason === null ? {} : { reason }),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  }
}
