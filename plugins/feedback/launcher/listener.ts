import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { FeedbackRequest } from '#schemas/launcher/feedback.ts'
import { singleHeader } from '#launcher/contract/http/headers.ts'
import type { Call, Reply } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { defineListener } from '#launcher/contract/listener.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { inSpan } from '#launcher/contract/in-span.ts'
import { feedbackPort } from './port.ts'
import { sendFeedback } from './send-feedback.ts'

type FeedbackRoute = (typeof feedbackPort.routes)['feedback']

/** Feedback of agents with a process on their own runs, including ended runs. */
export const feedbackListener = defineListener({
  port: feedbackPort,
  wanted: ({ feedback }) => feedback,
  start(pod) {
    const state = pod.state('the agent gives feedback')
    return {
      listeners: [
        feedbackPort.serve({
          health: () => ({ status: 200, body: { status: 'ok' } }),
          feedback: (call) => score(call, state, pod),
        }),
      ],
    }
  },
})

async function score(
  { request, response, body }: Call<FeedbackRoute>,
  state: StateClient,
  { registry, tracer }: Pod,
): Promise<Reply<FeedbackRoute>> {
  const given = await body()
  refuseUnclear(given)
  const key = singleHeader(request, 'idempotency-key')
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Refusal('malformed_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters')
  const parent = parseTraceparent(singleHeader(request, 'traceparent')) ?? traceOf(given, registry)
  const span = tracer.start('feedback', parent, { 'mesh.feedback.name': given.name ?? 'feedback' })
  const gone = new AbortController()
  response.once('close', () => gone.abort(new Error('the agent closed the connection')))
  const sending = { key, traceparent: span.traceparent, signal: gone.signal }
  return inSpan(span, async () => ({ status: 202, body: { id: await sendFeedback(state, given, sending) } }))
}

function refuseUnclear({ runId, traceId }: FeedbackRequest): void {
  if (runId === undefined && traceId === undefined)
    throw new Refusal('malformed_request', 'runId: or traceId is required')
  if (runId !== undefined && traceId !== undefined)
    throw new Refusal('malformed_request', 'runId: and traceId are mutually exclusive')
}

// The span belongs to the scored run while the launcher works on it, else to its own trace.
function traceOf({ runId, traceId }: FeedbackRequest, registry: Pod['registry']): Trace | undefined {
  const traces = (runId === undefined ? registry.active() : [runId]).map((id) => registry.traceOf(id))
  return traces.find((trace) => runId !== undefined || trace?.traceId === traceId)
}
