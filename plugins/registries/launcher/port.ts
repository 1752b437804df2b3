import { MAX_AMP_PAYLOAD } from '#schemas/launcher/envelope.ts'
import { definePort } from '#launcher/contract/http/port.ts'
import { anyValue, object, string } from '#schemas/wire/schema.ts'

const answer = { 200: object({ runId: string(), conversationId: string(), output: anyValue }) }
const guarded = [
  'caller_not_allowed',
  'unknown_target',
  'depth_exceeded',
  'cycle_detected',
  'budget_exceeded',
  'idempotency_conflict',
  'blocked',
  'upstream_failure',
  'draining',
] as const

const outbound = (path: '/amp/:targetAgent' | '/a2a/:targetAgent') =>
  ({
    method: 'POST',
    path,
    summary: 'Calls another agent of a registry, and responds with the output of its run.',
    body: anyValue,
    responses: answer,
    refusals: [...guarded, 'unknown_run'],
  }) as const

/** Port 2997 on loopback: the agent calls other agents. */
export const ampPort = definePort({
  name: 'amp',
  bodyLimit: MAX_AMP_PAYLOAD,
  routes: { amp: outbound('/amp/:targetAgent'), a2a: outbound('/a2a/:targetAgent') },
})

const inbound = (path: '/amp/:agent' | '/a2a/:agent') =>
  ({
    method: 'POST',
    path,
    summary: 'Accepts a call from another agent with its signed envelope, and responds with the output of the run.',
    body: object({ envelope: string(), payload: anyValue }),
    responses: answer,
    refusals: guarded,
  }) as const

/** Port 2997 on the address of the pod: launchers of other agents call this one. */
export const ampInboundPort = definePort({
  name: 'ampInbound',
  // JSON writes a control character as six bytes; the caller counts the payload.
  bodyLimit: MAX_AMP_PAYLOAD + 16 * 1024,
  routes: { amp: inbound('/amp/:agent'), a2a: inbound('/a2a/:agent') },
})
