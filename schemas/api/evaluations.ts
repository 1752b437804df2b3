import { Type } from 'typebox'
import type { Static } from 'typebox'
import { DNS_NAME_PATTERN } from '../kinds/parts.ts'
import { described } from '../values/described.ts'
import { time, timeOrNull } from './common.ts'

const strict = { additionalProperties: false }

/** Phases of an evaluation. */
export const evaluationPhases = [
  'Pending',
  'Running',
  'Passed',
  'Failed',
  'Inconclusive',
  'Error',
  'Cancelled',
] as const

/** See {@link evaluationPhases}. */
export type EvaluationPhase = (typeof evaluationPhases)[number]

const phase = Type.Enum([...evaluationPhases], { description: 'State of the evaluation.', examples: ['Passed'] })
const id = Type.String({
  format: 'uuid',
  description: 'Id of the evaluation, which is that of the run that executes it.',
  examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a10'],
})
const revision = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Number of a revision of the agent.',
  examples: [3],
})
const agentName = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: DNS_NAME_PATTERN,
  description: 'Agent in the namespace of the suite.',
  examples: ['hello'],
})
const scoreOrNull = (description: string, example: number | null = 0.92) =>
  Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], { description, examples: [example] })
const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })
const textOrNull = Type.Union([Type.String(), Type.Null()])

const caseCounts = Type.Object(
  {
    total: count('Cases, each with its repetitions.', 20),
    passed: count('Cases that passed.', 19),
    failed: count('Cases that were scored and have not passed.', 1),
    errored: count('Cases without a score.', 0),
  },
  { description: 'Number of cases by outcome.' },
)

const judgeCost = Type.Object(
  {
    amount: Type.String({ description: 'Decimal string.', examples: ['0.012'] }),
    currency: Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }),
  },
  { description: 'Metered cost of the judge, in the currency of its cap.' },
)

const evaluationFields = {
  id,
  namespace: Type.String({ description: 'Namespace of suite and agent.', examples: ['default'] }),
  suite: Type.String({ description: 'Name of the suite.', examples: ['smoke'] }),
  agent: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
  agentUid: Type.String({ description: 'UID of the agent.', examples: ['0b3f6c2e-7f0c-4c55-8a55-2f7d1a1f9d10'] }),
  revision,
  phase,
  reason: described(textOrNull, 'Why it has this phase, in CamelCase; null before it ends.', 'ScoreReached'),
  message: described(textOrNull, 'The reason in words; null before it ends.', 'Score 0.95, required 0.80.'),
  score: scoreOrNull('Score of the revision; null without one.'),
  baselineScore: scoreOrNull('Score of the revision with which it is compared; null without one.', null),
  baselineRevision: Type.Union([revision, Type.Null()], {
    description: 'Revision with which it is compared; null without one.',
    examples: [null],
  }),
  minScore: Type.Number({ minimum: 0, maximum: 1, description: 'Score that was required.', examples: [0.8] }),
  datasetDigest: described(textOrNull, 'Digest of the cases; null before they are known.', 'sha256:6f1c2a90'),
  cases: caseCounts,
  judgeCost: Type.Union([judgeCost, Type.Null()], {
    description: 'Null for a suite without a judge.',
    examples: [null],
  }),
  createdBy: Type.String({
    description: 'User, or the account of the agent for a gate.',
    examples: ['ada@example.com'],
  }),
  createdAt: described(time, 'Time of the request.'),
  startedAt: described(timeOrNull, 'Start of the first case; null before it.', null),
  finishedAt: described(timeOrNull, 'End; null before it.', null),
}

/** One scoring of one revision by one suite. */
export const Evaluation = Type.Object(evaluationFields, { title: 'Evaluation' })

/** See {@link Evaluation}. */
export type EvaluationView = Static<typeof Evaluation>

/** Path of an evaluation. */
export const EvaluationParams = Type.Object({ id })

/** Body of `POST /api/evalsuites/{ns}/{name}/runs`. */
export const EvaluationBody = Type.Object(
  {
    agent: agentName,
    revision: Type.Optional({
      ...revision,
      description:
        'Number of a revision that serves or is a candidate. Default: the candidate, else the one that serves.',
    }),
  },
  { ...strict, title: 'EvaluationInput' },
)

/** Body of `POST /api/evalsuites/{ns}/{name}/override`. */
export const OverrideBody = Type.Object(
  {
    agent: agentName,
    revision,
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^[^\\r\\n\\u0000]+$',
      description: 'Why the revision serves without having passed, on one line.',
      examples: ['The dataset lacks the new product; reviewed by hand.'],
    }),
  },
  { ...strict, title: 'OverrideInput' },
)

/** Response of `POST /api/evalsuites/{ns}/{name}/override`. */
export const GateOverride = Type.Object(
  {
    agent: evaluationFields.agent,
    revision,
    reason: Type.String({ description: 'The given reason.', examples: ['Reviewed by hand.'] }),
    by: Type.String({ description: 'User who gave it.', examples: ['ada@example.com'] }),
    at: described(time, 'Time of the override.'),
  },
  { title: 'GateOverride' },
)

const caseScore = Type.Object(
  {
    evaluator: Type.String({ description: 'Name of the evaluator.', examples: ['polite'] }),
    repetition: Type.Integer({ minimum: 1, description: 'Number of the repetition, from 1.', examples: [1] }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Score of the evaluator.', examples: [1] }),
    note: described(textOrNull, 'What the evaluator says; null without a note.', null),
  },
  { description: 'A score of one evaluator.' },
)

const caseResult = Type.Object(
  {
    caseId: Type.String({ description: 'Id of the case.', examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a11'] }),
    inputDigest: Type.String({ description: 'Digest of the input of the case.', examples: ['sha256:0c1d2e3f'] }),
    passed: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether each repetition passed; null without a score.',
      examples: [true],
    }),
    score: scoreOrNull('Mean of the repetitions; null without a score.', 1),
    scores: Type.Array(caseScore, { description: 'Scores by evaluator and repetition.' }),
    runIds: Type.Array(Type.String(), {
      description: 'Runs of the case, by repetition.',
      examples: [['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00']],
    }),
    baselineScore: scoreOrNull('Mean of the repetitions in the baseline; null without one.', null),
    baselineRunIds: Type.Array(Type.String(), {
      description: 'Runs of the case in the baseline, by repetition.',
      examples: [[]],
    }),
    error: described(textOrNull, 'Why a repetition has no score; null if each has one.', null),
    regression: Type.Boolean({ description: 'Whether the baseline scored higher on this case.', examples: [false] }),
  },
  { description: 'Result of a case.' },
)

const evaluatorResult = Type.Object(
  {
    name: Type.String({ description: 'Name of the evaluator.', examples: ['polite'] }),
    type: Type.String({ description: 'Type of the evaluator.', examples: ['contains'] }),
    weight: Type.Number({ description: 'Weight in the mean.', examples: [1] }),
    score: scoreOrNull('Mean over the scored cases; null without one.', 1),
  },
  { description: 'Result of an evaluator.' },
)

const historyEntry = Type.Object(
  {
    evaluationId: id,
    agent: evaluationFields.agent,
    revision,
    score: evaluationFields.score,
    phase,
    finishedAt: evaluationFields.finishedAt,
    deployed: Type.Boolean({ description: 'Whether the revision serves now.', examples: [true] }),
    overridden: Type.Boolean({
      description: 'Whether a person let it serve without having passed.',
      examples: [false],
    }),
  },
  { description: 'An earlier evaluation.' },
)

/** Query of `GET /api/evalsuites/{ns}/{name}/results`. */
export const EvalResultsQuery = Type.Object(
  {
    agent: Type.Optional({ ...agentName, description: 'Only evaluations of this agent.' }),
    revision: Type.Optional({ ...revision, description: 'Only evaluations of this revision. Default: the newest.' }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'Number of cases.' })),
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only cases after this id.' })),
  },
  strict,
)

/** Results of the newest evaluation of a suite. */
export const EvalResults = Type.Object(
  {
    evaluation: Type.Union([Evaluation, Type.Null()], {
      description: 'The evaluation; null without one.',
      examples: [null],
    }),
    revision: Type.Union([revision, Type.Null()], {
      description: 'Revision that was scored; null without one.',
      examples: [3],
    }),
    phase: Type.Union([phase, Type.Null()], { description: 'Its phase; null without one.', examples: ['Passed'] }),
    score: evaluationFields.score,
    baselineScore: evaluationFields.baselineScore,
    evaluators: Type.Array(evaluatorResult, { description: 'Results by evaluator.' }),
    cases: Type.Array(caseResult, { description: 'Results by case, in the order of their ids.' }),
    next: described(textOrNull, 'Value of `after` for the next cases; null at the end.', null),
    history: Type.Array(historyEntry, { description: 'Evaluations of the suite, newest first, at most 50.' }),
  },
  { title: 'EvalResults' },
)

/** See {@link EvalResults}. */
export type EvalResultsView = Static<typeof EvalResults>

/** Query of `GET /api/metrics/eval-gated`. */
export const EvalGatedQuery = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({ maxLength: 253, description: 'Namespace; empty or absent is the cluster.' }),
    ),
    scope: Type.Optional(
      Type.Literal('permitted', { description: 'Count across the namespaces that the caller may see.' }),
    ),
  },
  strict,
)

/** How many deployed revisions an evaluation has let pass. */
export const EvalGated = Type.Object(
  {
    gated: count('Agents whose deployed revision passed an evaluation.', 3),
    total: count('Agents with a deployed revision.', 4),
    percent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Share in percent; 0 without agents.',
      examples: [75],
    }),
    scope: Type.Optional(
      Type.Literal('permitted', { description: 'As in the query: only namespaces that the caller may see.' }),
    ),
  },
  { title: 'EvalGated' },
)
