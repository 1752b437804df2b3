import { Type } from 'typebox'
import { DNS_NAME_PATTERN } from '../parts.ts'
import { SCORE_NAME_PATTERN, TRACE_ID_PATTERN, scoreBounds } from '../feedback.ts'
import { RunId } from '../run-id.ts'
import { listOf, namespaceQuery, pageQuery, scope, time } from './common.ts'

const strict = { additionalProperties: false }
const textOrNull = Type.Union([Type.String(), Type.Null()])
const traceId = Type.String({ pattern: TRACE_ID_PATTERN, description: 'Id of a trace: 32 digits in lower case.' })
const scoreName = Type.String({ pattern: SCORE_NAME_PATTERN, description: 'What is scored.' })
const number = Type.Number({ minimum: -scoreBounds.number, maximum: scoreBounds.number })
const label = Type.String({ minLength: 1, maxLength: scoreBounds.label })
const value = Type.Union([number, Type.Boolean(), label], { description: 'A number, a decision, or a label.' })

/** A score of a run. */
export const Score = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7 of the score.' }),
    namespace: Type.String(),
    runId: RunId,
    traceId,
    agent: textOrNull,
    name: scoreName,
    value,
    comment: textOrNull,
    source: Type.Enum(['agent', 'person'], { description: 'The agent of the run by its port 2995, or a caller.' }),
    createdBy: Type.String(),
    createdAt: time,
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
    since: Type.Optional(time),
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
    comment: Type.Optional(Type.String({ maxLength: scoreBounds.comment })),
  },
  { ...strict, title: 'FeedbackInput', description: 'Exactly one of `runId` and `traceId` is set.' },
)

/** Answer of `POST /api/feedback`. */
export const Recorded = Type.Object({ id: Type.String({ format: 'uuid' }) }, { title: 'RecordedScore' })
