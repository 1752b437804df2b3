import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import { isAtLeast } from '../../contract/format/is-at-least.ts'

/** What was evaluated. */
export interface EvaluatedCandidate {
  readonly file: string
  /** Namespace and name of the file. */
  readonly namespace: string
  readonly name: string
}

/** Score of the revision that serves, by the suite of the file. Reported only. */
export interface ReportedBaseline {
  readonly revision: number
  readonly score: number | null
  readonly maxRegression: number | null
}

/** What `meshctl eval` prints. */
export interface EvalReport {
  readonly candidate: EvaluatedCandidate
  readonly namespace: string
  /** `namespace/name`; null for the suite that compares with the expected outputs. */
  readonly suite: string | null
  readonly dataset: string | null
  readonly datasetDigest: string | null
  readonly minScore: number
  readonly score: number | null
  /** pass and fail follow the score; error is everything else. */
  readonly decision: 'pass' | 'fail' | 'error'
  readonly phase: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly baseline: ReportedBaseline | null
  readonly evaluators: readonly (EvalResultsView['evaluators'][number] & { readonly threshold: number | null })[]
  readonly counts: {
    readonly total: number
    readonly passed: number
    readonly failed: number
    readonly errored: number
  }
  readonly judgeCost: { readonly amount: string; readonly currency: string } | null
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly cases: EvalResultsView['cases']
}

/** What is known before an evaluation ends. */
export type ReportHead = Pick<EvalReport, 'candidate' | 'namespace' | 'suite' | 'dataset' | 'minScore'>

/** The report of an evaluation without a result. */
export function failedReport(head: ReportHead, message: string): EvalReport {
  return {
    ...head,
    datasetDigest: null,
    score: null,
    decision: 'error',
    phase: null,
    reason: 'NotEvaluated',
    message,
    baseline: null,
    evaluators: [],
    counts: { total: 0, passed: 0, failed: 0, errored: 0 },
    judgeCost: null,
    startedAt: null,
    finishedAt: null,
    cases: [],
  }
}

/** What a report is made of. */
export interface Evaluated {
  readonly results: EvalResultsView
  readonly spec: EvalSuiteSpec
  readonly baseline: ReportedBaseline | null
}

/** The report of an evaluation. The score against the required one decides, if the gate has one. Pure. */
export function toEvalReport(head: ReportHead, { results, spec, baseline }: Evaluated): EvalReport {
  const { evaluation, phase, score, evaluators, cases } = results
  const thresholds = new Map(spec.evaluators.map(({ name, threshold }) => [name, threshold]))
  return {
    ...head,
    datasetDigest: evaluation?.datasetDigest ?? null,
    score,
    decision: decide(phase, score, head.minScore),
    phase,
    reason: evaluation?.reason ?? null,
    message: evaluation?.message ?? null,
    baseline,
    evaluators: evaluators.map((one) => ({ ...one, threshold: thresholds.get(one.name) ?? null })),
    counts: evaluation?.cases ?? { total: 0, passed: 0, failed: 0, errored: 0 },
    judgeCost: evaluation?.judgeCost ?? null,
    startedAt: evaluation?.startedAt ?? null,
    finishedAt: evaluation?.finishedAt ?? null,
    cases,
  }
}

function decide(phase: string | null, score: number | null, minScore: number): EvalReport['decision'] {
  if ((phase !== 'Passed' && phase !== 'Failed') || score === null) return 'error'
  return isAtLeast(score, minScore) ? 'pass' : 'fail'
}
