import { isObject } from '#core/json/is-object.ts'
import { collect } from '#core/http-client/request.ts'
import type { CollectedResponse } from '#core/http-client/request.ts'
import type { Logger } from '#core/log/logger.ts'
import { ENVELOPE_HEADERS, MAX_AMP_PAYLOAD } from '#schemas/launcher/envelope.ts'
import type { Peer } from '#schemas/launcher/envelope.ts'
import { JsonRefused, parseBoundedJson } from '#launcher/contract/http/bounded-json.ts'
import { Refusal, refusals } from '#launcher/contract/http/refusal.ts'
import type { RefusalCode } from '#launcher/contract/http/refusal.ts'
import { PeerNotProved } from './peer-connections.ts'
import type { PeerConnections } from './peer-connections.ts'

/** Response of a called agent. */
export interface PeerResponse {
  readonly runId: string
  readonly conversationId: string
  readonly output: unknown
}

/** A signed call. */
export interface SignedCall {
  readonly peer: Peer
  readonly token: string
  readonly payload: unknown
  readonly conversationId: string | undefined
  readonly traceparent: string
  readonly deadline: Date
  readonly signal: AbortSignal
}

/** Forwards a call to the launcher of another agent; `unconnected` if nothing was sent. Throws `Refusal`, including the peer's. */
export type SendCall = (call: SignedCall) => Promise<PeerResponse | 'unconnected'>

// The peer responds at the deadline at the latest.
const graceMs = 2_000

/** Creates the sender. The headers are the launcher's own: none of the agent's request is passed on (E3). */
export function createSendCall(connections: PeerConnections, log: Logger): SendCall {
  return async (call) => {
    const { peer, token, payload, conversationId, traceparent, deadline, signal } = call
    if (peer.url === undefined) return 'unconnected'
    const leftMs = Math.max(deadline.getTime() - Date.now(), 0) + graceMs
    const envelope = Object.fromEntries(ENVELOPE_HEADERS.map((name) => [name, token]))
    try {
      const answer = await collect(await connections.of(peer), {
        origin: peer.url,
        path: `/amp/${peer.name}`,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          traceparent,
          ...envelope,
          ...(conversationId === undefined ? {} : { 'x-conversation-id': conversationId }),
        },
        body: JSON.stringify({ envelope: token, payload }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(Math.min(leftMs, longestTimerMs))]),
        headersTimeout: 0,
        maxBytes: MAX_AMP_PAYLOAD,
      })
      return toAnswer(answer)
    } catch (error) {
      if (error instanceof Refusal || signal.aborted) throw error
      if (isUnconnected(error)) return 'unconnected'
      log.warn({ peer: peer.name, err: String(error) }, 'call of another agent failed')
      throw new Refusal('upstream_failure')
    }
  }
}

const longestTimerMs = 2 ** 31 - 1

// Codes of a peer that are passed to the agent; any other response is a failure of the peer.
const relayed: readonly RefusalCode[] = [
  'malformed_request',
  'budget_exceeded',
  'caller_not_allowed',
  'unknown_target',
  'depth_exceeded',
  'cycle_detected',
  'idempotency_conflict',
  'payload_too_large',
  'blocked',
  'upstream_failure',
]

function toAnswer({ status, headers, body: bytes }: CollectedResponse): PeerResponse {
  const body = parse(bytes)
  if (status === 200 && isObject(body)) {
    const { runId, conversationId, output } = body
    if (typeof runId === 'string' && typeof conversationId === 'string' && output !== undefined)
      return { runId, conversationId, output }
  }
  const code = isObject(body) ? relayed.find((one) => one === body.error && refusals[one].status === status) : undefined
  if (code === undefined) throw new Refusal('upstream_failure', 'The response of the called agent is not valid.')
  const message = isObject(body) && typeof body.message === 'string' ? body.message.slice(0, 500) : undefined
  const runId = headers['x-mesh-run-id']
  throw new Refusal(code, message, typeof runId === 'string' && isRunId(runId) ? { 'x-mesh-run-id': runId } : {})
}

function isRunId(text: string): boolean {
  return /^[\w.-]{1,128}$/.test(text)
}

function parse(bytes: Buffer): unknown {
  try {
    return parseBoundedJson(bytes.toString('utf8'))
  } catch (error) {
    if (error instanceof JsonRefused) return undefined
    throw error
  }
}

// The error occurred before the first byte of the request was sent.
function isUnconnected(error: unknown): boolean {
  if (error instanceof PeerNotProved) return true
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT'
}
