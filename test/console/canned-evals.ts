import { readFileSync } from 'node:fs'
import type { EvalResultsView, EvaluationView } from '#schemas/api/evaluations.ts'
import { cannedAgents } from './canned-agents.ts'
import { cannedCases } from './canned-datasets.ts'
import { hostileName } from './canned-providers.ts'
import { cannedRunId } from './canned-runs.ts'
import { cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

const now = '2026-11-24T08:00:00Z'
const created = { resourceVersion: '1', creationTimestamp: now }
const evaluationId = (number: number): string => `0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a${String(number).padStart(2, '0')}`

const suite = {
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'EvalSuite',
  metadata: { namespace: 'demo', name: 'polite', generation: 1, ...created },
  spec: {
    datasetRef: { name: 'refunds', version: 2 },
    evaluators: [{ name: 'polite', type: 'contains', config: { values: [hostileName] } }],
    minScore: 0.8,
  },
  status: {
    evaluation: { id: evaluationId(3), agent: 'triage', revision: 3, phase: 'Failed', score: 0.5 },
    conditions: [
      { type: 'Accepted', status: 'True', reason: 'Accepted', message: hostileName, lastTransitionTime: now },
      { type: 'Ready', status: 'True', reason: 'Ready', message: 'It scores.', lastTransitionTime: now },
    ],
  },
}

/** An evaluation that failed: its revision is held. */
export const failedEvaluation: EvaluationView = {
  id: evaluationId(3),
  namespace: 'demo',
  suite: 'polite',
  agent: 'triage',
  agentUid: evaluationId(90),
  revision: 3,
  phase: 'Failed',
  reason: 'ScoreTooLow',
  message: `Score 0.50, required 0.80. ${hostileName}`,
  score: 0.5,
  baselineScore: 0.95,
  baselineRevision: 2,
  minScore: 0.8,
  datasetDigest: `sha256:${'a'.repeat(64)}`,
  cases: { total: 3, passed: 1, failed: 1, errored: 1 },
  judgeCost: { amount: '0.012', currency: 'USD' },
  createdBy: hostileName,
  createdAt: now,
  startedAt: now,
  finishedAt: now,
}

type CaseResult = EvalResultsView['cases'][number]

/** Results of three cases: one as before, one worse, one without a score. */
export const cannedResults: readonly CaseResult[] = (
  [
    ['a', 1, 1, null],
    ['b', 0.25, 0.9, null],
    ['c', null, 0.9, hostileName],
  ] as const
).map(([caseId, score, baselineScore, error], index) => ({
  caseId,
  inputDigest: 'sha256:0c1d2e3f',
  passed: score === null ? null : score >= 0.8,
  score,
  scores:
    score === null ? [] : [{ evaluator: 'polite', repetition: 1, score, note: `It lacks "please". ${hostileName}` }],
  runIds: score === null ? [] : [cannedRunId(20 + index)],
  baselineScore,
  baselineRunIds: [cannedRunId(30 + index)],
  error,
  regression: caseId === 'b',
}))

const history: EvalResultsView['history'] = (
  [
    [3, 0.5, 'Failed'],
    [2, 0.95, 'Passed'],
    [2, null, 'Inconclusive'],
    [1, 0.85, 'Passed'],
  ] as const
).map(([revision, score, phase], index) => ({
  evaluationId: evaluationId(index === 0 ? 3 : 50 + index),
  agent: 'triage',
  revision,
  score,
  phase,
  finishedAt: now,
  deployed: index === 1,
  overridden: index === 2,
}))

/** Results of the suite. */
export const cannedEvaluation: EvalResultsView = {
  evaluation: failedEvaluation,
  revision: 3,
  phase: 'Failed',
  score: 0.5,
  baselineScore: 0.95,
  evaluators: [{ name: 'polite', type: 'contains', weight: 1, score: 0.5 }],
  cases: [...cannedResults],
  next: null,
  history,
}

const pages = [
  { id: 'evals', title: 'Evals', section: 'Quality', path: '/evals', capability: 'evals' },
  {
    id: 'evals.agent',
    title: 'Score',
    section: 'Quality',
    path: '/evals/agent',
    capability: 'evals',
    tabOf: 'agent',
  },
]

const at = '/api/evalsuites/demo/polite'

/** A suite with a failed revision, and what the pages of suites and the tab of an agent show. */
export const cannedEvals: CannedResponses = {
  ...cannedShell,
  '/openapi.json': JSON.parse(
    readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
  ) as object,
  '/api/capabilities': { profile: 'open', pages, capabilities: [{ id: 'evals', enabled: true }] },
  '/api/evalsuites': {
    items: [suite, { ...suite, metadata: { ...suite.metadata, name: 'n'.repeat(63) } }],
    nextCursor: null,
  },
  '/api/metrics/eval-gated': { gated: 3, total: 4, percent: 75 },
  [at]: suite,
  [`${at}/results`]: cannedEvaluation,
  ...Object.fromEntries(
    cannedResults.flatMap(({ runIds, baselineRunIds }) =>
      [...runIds, ...baselineRunIds].map((id) => [
        `/api/runs/${id}`,
        { id, input: hostileName, output: runIds.includes(id) ? 'No.' : `Yes, please. ${hostileName}`, error: null },
      ]),
    ),
  ),
  ...Object.fromEntries(cannedCases.map((one) => [`/api/datasets/refunds/cases/${one.id}`, one])),
}

/** Scores in production. */
export const cannedOnlineScore = {
  items: [
    { evaluator: 'polite', score: 0.92, count: 12, buckets: [{ at: now, score: 0.92, count: 12 }] },
    { evaluator: 'feedback', score: 0.5, count: 2, buckets: [{ at: now, score: 0.5, count: 2 }] },
  ],
  from: now,
  to: now,
  sampled: 15,
  skipped: 3,
  skippedFor: [{ reason: 'CostCapReached', count: 3 }],
  cost: { amount: '0.012', currency: 'USD' },
  suite: 'polite',
}

const agentPath = '/api/agents/support/triage'
const agent = cannedAgents[agentPath] as { readonly spec: object; readonly status: object }

/** The page of an agent whose gate holds its newest revision. */
export const cannedScoreTab: CannedResponses = {
  ...cannedAgents,
  '/api/capabilities': {
    profile: 'open',
    pages: [...pages, { id: 'agents', title: 'Agents', section: 'Build', path: '/agents', capability: 'agents' }],
    capabilities: [
      { id: 'evals', enabled: true },
      { id: 'agents', enabled: true },
    ],
  },
  [agentPath]: {
    ...agent,
    spec: { ...agent.spec, evalGate: { suiteRef: { name: 'polite' } } },
    status: {
      ...agent.status,
      servingRevisions: [2],
      candidate: { revision: 'triage-3', number: 3 },
      conditions: [
        {
          type: 'EvalGated',
          status: 'True',
          reason: 'Failed',
          message: `r3 was evaluated by polite. ${hostileName}`,
          lastTransitionTime: now,
        },
      ],
    },
  },
  '/api/evalsuites/support/polite/results': cannedEvaluation,
  [`${agentPath}/online-score`]: cannedOnlineScore,
}
