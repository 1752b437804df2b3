import { formatMicros } from '#schemas/values/money.ts'
import type { EvaluationView } from '#schemas/api/evaluations.ts'
import type { SelectedEvaluation } from '../contract/tables.ts'
import type { CaseCounts } from '../store/results.ts'

/** An evaluation as responses show it. Cases that were not read yet have no outcome. */
export function toEvaluation(row: SelectedEvaluation, counts: CaseCounts | undefined): EvaluationView {
  const { judge } = row.suite_spec
  const { total = 0, passed = 0, failed = 0, errored = 0 } = counts ?? {}
  return {
    id: row.id,
    namespace: row.namespace,
    suite: row.suite,
    agent: row.agent,
    agentUid: row.agent_uid,
    revision: row.revision,
    phase: row.phase,
    reason: row.reason,
    message: row.message,
    score: row.score,
    baselineScore: row.baseline_score,
    baselineRevision: row.baseline_revision,
    minScore: row.min_score,
    datasetDigest: row.dataset?.digest ?? null,
    cases: { total: row.dataset?.cases ?? total, passed, failed, errored },
    judgeCost:
      judge === undefined
        ? null
        : { amount: formatMicros(row.judge_micros), currency: judge.maxCost.currency ?? 'USD' },
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
