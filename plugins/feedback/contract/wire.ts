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
import { statePath } from '#schemas/wire/state-path.ts'
import { checked, object, optionalField, reply, string } from '#schemas/wire/schema.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const runId = string({ format: 'uuid', description: 'id of a run of this agent' }, (value) =>
  uuid.test(value) ? undefined : 'must be the id of a run',
)
const traceId = string({ pattern: TRACE_ID_PATTERN, description: 'trace of a run of this agent' }, (value) =>
  isTraceId(value) ? undefined : 'must be a trace id: 32 lowercase hexadecimal digits',
)
const name = string(
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
const comment = string({ maxLength: scoreBounds.comment }, (given) => textProblem(given, scoreBounds.comment))

/** A score of a run: the body of port 2995 and of the state role. */
export const feedbackRequest = object({
  runId: optionalField(runId),
  traceId: optionalField(traceId),
  name: optionalField(name),
  value,
  comment: optionalField(comment),
})

/** A stored score. */
export const recordedScore = reply({ id: string({ format: 'uuid' }) })

/** A launcher forwards its agent's score of a run. */
export const score = statePath({
  method: 'POST',
  path: '/feedback',
  request: feedbackRequest,
  status: 202,
  response: recordedScore,
})
