import type { FeedbackRequest } from '#schemas/launcher/feedback.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { StateResponse, StateClient } from '#launcher/contract/state/state-client.ts'

/** How a score is sent. */
export interface Sending {
  /** Idempotency key of the agent's request. */
  readonly key: string | undefined
  readonly traceparent: string
  readonly signal: AbortSignal
}

/** Sends a score to the state role, once: a repeat is the agent's, with its key. Resolves with the id of the score; throws `Refusal`. */
export async function sendFeedback(
  state: StateClient,
  request: FeedbackRequest,
  { key, traceparent, signal }: Sending,
): Promise<string> {
  const headers = { traceparent, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  const answer = await state({ method: 'POST', path: '/feedback', body: request, headers, signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error
      throw new Refusal('feedback_unavailable', 'the state role cannot be reached')
    },
  )
  return toId(answer)
}

function toId({ status, body }: StateResponse): string {
  const { id, code, detail } = body
  const reason = typeof detail === 'string' ? detail.slice(0, 500) : undefined
  if (status === 202 && typeof id === 'string') return id
  if (status === 404) throw new Refusal('unknown_run', 'the run does not exist, or is not one of this agent')
  if (status === 409) throw new Refusal('idempotency_conflict', reason)
  if (status === 429) throw new Refusal('too_many_scores', code === 'too_many_scores' ? reason : 'too many requests')
  if (status === 400) throw new Refusal('malformed_request', reason)
  throw new Refusal('feedback_unavailable')
}
