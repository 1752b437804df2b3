import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { time } from './common.ts'

/** Name of the evaluator that shows feedback beside those of a suite. */
export const FEEDBACK_EVALUATOR = 'feedback'

const mean = Type.Number({ minimum: 0, maximum: 1, description: 'Mean of the scores.', examples: [0.92] })
const scored = Type.Integer({ minimum: 1, description: 'Number of scores.', examples: [12] })

const bucket = Type.Object(
  { at: described(time, 'Begin of the bucket.'), score: mean, count: scored },
  { description: 'Scores in a part of the window: an hour, or a day if the window is longer than three days.' },
)

const item = Type.Object(
  {
    evaluator: Type.String({
      description: `Name of the evaluator in the suite; ${FEEDBACK_EVALUATOR} for scores by people and by the agent.`,
      examples: ['polite'],
    }),
    score: mean,
    count: scored,
    buckets: Type.Array(bucket, { description: 'Buckets with scores, oldest first.' }),
  },
  { description: 'Scores of an evaluator.' },
)

const skipReason = Type.Object(
  {
    reason: Type.Enum(['DailyLimit', 'CostCapReached', 'ContentHidden', 'RunRemoved', 'EvaluatorFailed'], {
      description: 'Why the runs have no scores.',
      examples: ['CostCapReached'],
    }),
    count: Type.Integer({ minimum: 1, description: 'Number of runs.', examples: [3] }),
  },
  { description: 'Selected runs without scores, by reason.' },
)

const cost = Type.Object(
  {
    amount: Type.String({ description: 'Decimal string.', examples: ['0.012'] }),
    currency: Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }),
  },
  { description: 'Cost of the judge.' },
)

/** Query of `GET /api/agents/{ns}/{name}/online-score`. */
export const OnlineScoreQuery = Type.Object(
  {
    from: Type.Optional(described(time, 'Begin of the window. Default: seven days before its end.')),
    to: Type.Optional(described(time, 'End of the window. Default: now.')),
  },
  { additionalProperties: false },
)

/** Scores of the runs of an agent in production. */
export const OnlineScore = Type.Object(
  {
    items: Type.Array(item, { description: 'Evaluators with scores in the window, by name.' }),
    from: described(time, 'Begin of the window.'),
    to: described(time, 'End of the window.'),
    sampled: Type.Integer({ minimum: 0, description: 'Runs that were selected to be scored.', examples: [15] }),
    skipped: Type.Integer({ minimum: 0, description: 'Those of them that have no scores.', examples: [3] }),
    skippedFor: Type.Array(skipReason, { description: 'Reasons of the skipped runs, the most frequent first.' }),
    cost: Type.Union([cost, Type.Null()], {
      description: 'Cost of the judge; null without a priced call, and for several currencies.',
      examples: [null],
    }),
    suite: Type.Union([Type.String(), Type.Null()], {
      description: 'Suite that scores runs of the agent now; null if none does.',
      examples: ['smoke'],
    }),
  },
  { title: 'OnlineScore' },
)

/** See {@link OnlineScore}. */
export type OnlineScoreView = Static<typeof OnlineScore>
