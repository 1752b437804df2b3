import {
  DEFAULT_SCORE_NAME,
  SCORE_NAME_PATTERN,
  TRACE_ID_PATTERN,
  isScoreName,
  isTraceId,
  scoreBounds,
  scoreValueProblem,
  textProblem,
} from '#schemas/launcher/feedback.ts'
import type { ScoreValue } from '#schemas/launcher/feedback.ts'
import { definePort } from '#launcher/contract/http/port.ts'
import { checked, object, oneOf, optional, text } from '#launcher/contract/http/schema.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const runId = text({ format: 'uuid', description: 'id of a run of this agent' }, (value) =>
  uuid.test(value) ? undefined : 'must be the id of a run',
)
const traceId = text({ pattern: TRACE_ID_PATTERN, description: 'trace of a run of this agent' }, (value) =>
  isTraceId(value) ? undefined : 'must be a trace id: 32 digits in lower case',
)
const name = text(
  { pattern: SCORE_NAME_PATTERN, description: `what is scored; ${DEFAULT_SCORE_NAME} if absent` },
  (value) => (isScoreName(value) ? undefined : `must match ${SCORE_NAME_PATTERN}`),
)
const value = checked<ScoreValue>(
  {
    type: ['number', 'boolean', 'string'],
    minimum: -scoreBounds.number,
    maximum: scoreBounds.number,
    minLength: 1,
    maxLength: scoreBounds.label,
    description: 'a number, a decision, or a label',
  },
  scoreValueProblem,
)
const comment = text({ maxLength: scoreBounds.comment }, (given) => textProblem(given, scoreBounds.comment))

/** Port 2995: the agent scores its own runs. */
export const feedbackPort = definePort({
  name: 'feedback',
  bodyLimit: 64 * 1024,
  routes: {
    health: {
      method: 'GET',
      path: '/healthz',
      summary: 'Returns that the port is open.',
      responses: { 200: object({ status: oneOf('ok') }) },
    },
    feedback: {
      method: 'POST',
      path: '/feedback',
      summary:
        'Scores a run of this agent, or its first run of a trace, at any time after it began. A repeat with the same `Idempotency-Key` stores nothing.',
      body: object({
        runId: optional(runId),
        traceId: optional(traceId),
        name: optional(name),
        value,
        comment: optional(comment),
      }),
      responses: { 202: object({ id: text({ format: 'uuid' }) }) },
      refusals: ['unknown_run', 'idempotency_conflict', 'too_many_scores', 'feedback_unavailable'],
    },
  },
})
