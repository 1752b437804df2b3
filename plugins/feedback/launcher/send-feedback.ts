import type { FeedbackRequest } from '#schemas/launcher/feedback.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { score } from '../contract/wire.ts'
import type { recordedScore } from '../contract/wire.ts'

/** Options of `sendFeedback`. */
export interface SendFeedbackOptions {
  /** Idempotency key of the agent's request. */
  readonly key: string | undefined
  readonly traceparent: string
  readonly signal: AbortSignal
}

/** Sends a score to the state role, once: the agent may repeat it, with its key. Resolves with the id of the score; throws `Refusal`. */
export async function sendFeedback(
  state: StateClient,
  request: FeedbackRequest,
  { key, traceparent, signal }: SendFeedbackOptions,
): Promise<string> {
  const headers = { traceparent, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  const response = await callState(state, score, { body: request, headers, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new Refusal('feedback_unavailable', 'the state role cannot be reached')
  })
  return toId(response)
}

function toId({ status, value, problem: { code, detail } }: PathResponse<Static<typeof recordedScore>>): string {
  const reason = detail?.slice(0, 500)
  if (value !== undefined) return value.id
  if (status === 404) throw new Refusal('unknown_run', 'the run does not exist, or does not belong to this agent')
  if (status === 409) throw new Refusal('idempotency_conflict', reason)
  if (status === 429) throw new Refusal('too_many_scores', code === 'too_many_scores' ? reason : 'too many requests')
  if (status === 400) throw new Refusal('malformed_request', reason)
  throw new Refusal('feedback_unavailable')
}
