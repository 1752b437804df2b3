import { definePort } from '#launcher/contract/http/port.ts'
import { object, enumOf } from '#schemas/wire/schema.ts'
import { feedbackRequest, recordedScore } from '../contract/wire.ts'

/** Port 2995: the agent scores its own runs. */
export const feedbackPort = definePort({
  name: 'feedback',
  bodyLimit: 64 * 1024,
  routes: {
    health: {
      method: 'GET',
      path: '/healthz',
      summary: 'Liveness: the port is open.',
      responses: { 200: object({ status: enumOf('ok') }) },
    },
    feedback: {
      method: 'POST',
      path: '/feedback',
      summary:
        'Scores a run of this agent, or its first run of a trace, at any time after it began. A repeat with the same `Idempotency-Key` stores nothing.',
      body: feedbackRequest,
      responses: { 202: recordedScore },
      refusals: ['unknown_run', 'idempotency_conflict', 'too_many_scores', 'feedback_unavailable'],
    },
  },
})
