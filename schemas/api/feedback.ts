import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { DNS_NAME_PATTERN } from '../kinds/parts.ts'
import { SCORE_NAME_PATTERN, TRACE_ID_PATTERN, scoreBounds } from '../launcher/feedback.ts'
import { RunId } from '../names/run-id.ts'
import { listOf, namespaceQuery, pageQuery, scope, time } from './common.ts'

const strict = { additionalProperties: false }
const textOrNull = Type.Union([Type.String(), Type.Null()])
const traceId = Type.String({
  pattern: TRACE_ID_PATTERN,
  description: 'Id of a trace: 32 lowercase hexadecimal digits.',
  examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
})
const scoreName = Type.String({ pattern: SCORE_NAME_PATTERN, description: 'What is scored.', examples: ['helpful'] })
const number = Type.Number({ minimum: -scoreBounds.number, maximum: scoreBounds.number })
const label = Type.String({ minLength: 1, maxLength: scoreBounds.label })
const value = Type.Union([number, Type.Boolean(), label], {
  description: 'A number, a decision, or a label.',
  examples: [true],
})

/** A score of a run. */
export const Score = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'UUIDv7 of the score.',
      examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a09'],
    }),
    namespace: Type.String({ description: 'Namespace of the run.', examples: ['default'] }),
    runId: RunId,
    traceId,
    agent: described(textOrNull, 'Name of the agent; null for a run of the platform itself.', 'hello'),
    name: scoreName,
    value,
    comment: described(textOrNull, 'Comment of the author; null without one.', 'Friendly and right.'),
    source: exemplified(
      Type.Enum(['agent', 'person'], {
        description: 'Source of the score: the agent of the run, through port 2995, or a caller.',
      }),
      'person',
    ),
    createdBy: Type.String({ description: 'User, or the agent, who gave the score.', examples: ['ada@example.com'] }),
    createdAt: described(time, 'Time of the score.'),
  },
  { title: 'Score' },
)

/** A page of scores, newest first. */
export const ScoreList = listOf(Score)

/** Query of `GET /api/feedback`. */
export const ScoreListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    runId: Type.Optional(RunId),
    traceId: Type.Optional(traceId),
    agent: Type.Optional(Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN, description: 'Name of an agent.' })),
    name: Type.Optional(scoreName),
    since: Type.Optional(described(time, 'Scores of this time and later.')),
    scope: Type.Optional(scope),
    ...pageQuery,
  },
  strict,
)

/** Body of `POST /api/feedback`, and of the route of the state role. */
export const FeedbackBody = Type.Object(
  {
    runId: Type.Optional(RunId),
    traceId: Type.Optional(traceId),
    name: Type.Optional(scoreName),
    value,
    comment: Type.Optional(
      Type.String({
        maxLength: scoreBounds.comment,
        description: 'Comment in one or more sentences, at most 4,096 characters.',
      }),
    ),
  },
  { ...strict, title: 'FeedbackInput', description: 'Exactly one of `runId` and `traceId` is set.' },
)

/** Response of `POST /api/feedback`. */
export const Recorded = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'UUIDv7 of the score.',
      examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a09'],
    }),
  },
  { title: 'RecordedScore' },
)
