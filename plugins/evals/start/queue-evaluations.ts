import { Fail } from '#core/errors/domain-error.ts'
import type { DatasetsSystem } from '#plugins/datasets/contract/api.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { EvalTables, SelectedEvaluation } from '../contract/tables.ts'
import { endEvaluationIn } from '../execute/finish.ts'
import type { EvalsServices } from '../contract/services.ts'
import { changeEvaluation, lockEvaluation, readUnqueued } from '../store/evaluations.ts'

/** Queues the evaluations of a suite that were requested: takes a snapshot of the cases, or ends the evaluation with the reason. */
export async function queueEvaluations(
  services: Pick<EvalsServices, 'store' | 'runs' | 'now'>,
  datasets: DatasetsSystem,
  suite: EvalSuiteObject,
): Promise<void> {
  const waiting = await readUnqueued(services.store.reader<EvalTables>(), suite.metadata.uid ?? '')
  for (const evaluation of waiting) await queueOne(services, datasets, evaluation)
}

async function queueOne(
  services: Pick<EvalsServices, 'store' | 'runs' | 'now'>,
  datasets: DatasetsSystem,
  evaluation: SelectedEvaluation,
): Promise<void> {
  const { namespace, suite_spec: spec } = evaluation
  const reference = { namespace, ...spec.datasetRef }
  const snapshot = await datasets.takeSnapshot(reference, namespace)
  if (!snapshot.found) return end(services, evaluation, { reason: snapshot.reason, message: snapshot.detail })
  try {
    await services.store.transact(async (tx) => {
      const db = tx.tables<EvalTables>()
      const locked = await lockEvaluation(db, evaluation.id)
      if (locked?.phase !== 'Pending' || locked.prepared === null) return
      await changeEvaluation(db, locked.id, { dataset: JSON.stringify(snapshot), prepared: null })
      await services.runs.queueIn(tx, locked.prepared)
    })
  } catch (error) {
    if (!(error instanceof Fail) || error.code === 'too_many_runs') throw error
    await end(services, evaluation, { reason: 'RunRefused', message: `Its run was refused: ${error.code}.` })
  }
}

async function end(
  { store, now }: Pick<EvalsServices, 'store' | 'now'>,
  evaluation: SelectedEvaluation,
  why: { readonly reason: string; readonly message: string },
): Promise<void> {
  const ended = { phase: 'Error' as const, ...why, at: now() }
  await store.transact((tx) => endEvaluationIn(tx, evaluation, ended))
}
