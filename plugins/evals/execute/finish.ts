import type { Tx } from '#core/event-store/store.ts'
import type { ExecutorResult } from '#plugins/runs/contract/points.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import { evaluationFinished } from '../contract/events.ts'
import type { EvalTables, SelectedEvaluation } from '../contract/tables.ts'
import { failOpenCases } from '../store/cases.ts'
import { changeEvaluation, readEvaluations } from '../store/evaluations.ts'
import { countCases, readMeans } from '../store/results.ts'
import { decideEvaluation } from './decide.ts'
import type { EvaluationVerdict } from './decide.ts'
import type { EvaluationStep } from './step.ts'
import type { EvaluationStop } from './stop.ts'

const WHILE_BASELINE_MS = 1_000

/** Ends an evaluation: by the given verdict, or by its scores. Waits while its baseline is evaluated. */
export async function finishEvaluation(
  step: EvaluationStep,
  given?: EvaluationVerdict,
  stop?: EvaluationStop,
): Promise<ExecutorResult> {
  const { run, services, evaluation } = step
  const baseline = given === undefined ? await readBaseline(step) : undefined
  if (baseline?.isOpen === true && stop === undefined) return { state: 'waiting', afterMs: WHILE_BASELINE_MS }
  const db = services.store.reader<EvalTables>()
  const means = await readMeans(db, run.id)
  const counts = (await countCases(db, [run.id])).get(run.id)
  const verdict =
    given ??
    decideEvaluation({
      spec: evaluation.suite_spec,
      minScore: evaluation.min_score,
      means,
      total: evaluation.dataset?.cases ?? 0,
      scored: (counts?.passed ?? 0) + (counts?.failed ?? 0),
      stop,
      baseline: baseline?.score,
    })
  await run.save({
    also: async (tx) => {
      const scores = { score: means.score, baselineScore: baseline?.score ?? null }
      await endEvaluationIn(tx, evaluation, { ...verdict, ...scores, at: services.now() })
    },
  })
  return { state: 'succeeded', output: { phase: verdict.phase, reason: verdict.reason, score: means.score } }
}

async function readBaseline({ services, evaluation }: EvaluationStep) {
  const { baseline_revision: revision, agent_uid: agentUid, suite_uid: suiteUid, dataset, id } = evaluation
  if (revision === null) return undefined
  const db = services.store.reader<EvalTables>()
  const found = (await readEvaluations(db, { suiteUid, agentUid, revision }, 20)).filter(
    (one) => one.id !== id && (one.dataset === null || one.dataset.digest === dataset?.digest),
  )
  const [scored] = found.filter(({ score }) => score !== null)
  const isOpen = scored === undefined && found.some(({ phase }) => phase === 'Pending' || phase === 'Running')
  return { score: scored?.score ?? null, isOpen }
}

/** How an evaluation ended, with its scores. */
export interface EndedEvaluation extends EvaluationVerdict {
  /** Absent if it ended before it was scored. */
  readonly score?: number | null
  readonly baselineScore?: number | null
  readonly at: Date
}

/** Records the end of an evaluation with its event; false if it had ended before. */
export async function endEvaluationIn(
  tx: Tx,
  evaluation: SelectedEvaluation,
  { phase, reason, message, score = null, baselineScore = null, at }: EndedEvaluation,
): Promise<boolean> {
  const db = tx.tables<EvalTables>()
  const { id, namespace, namespace_uid: namespaceUid, suite, suite_uid: uid } = evaluation
  const ends = { phase, reason, message, score, baseline_score: baselineScore, finished_at: at, prepared: null }
  if (!(await changeEvaluation(db, id, ends))) return false
  await failOpenCases(db, id, 'The evaluation ended before.')
  const { agent, agent_uid: agentUid, revision } = evaluation
  const data = { evaluationId: id, agent, agentUid, revision, phase, reason, score }
  const subject = { namespace, namespaceUid, kind: EvalSuite.kind, name: suite, uid }
  await tx.append(`evals/${id}`, 'any', [{ type: evaluationFinished, subject, data }])
  return true
}
