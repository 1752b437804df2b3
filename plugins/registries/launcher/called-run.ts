import { isObject } from '#core/json/is-object.ts'
import type { PeerCallRequest } from '#schemas/launcher/envelope.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { RefusalCode } from '#launcher/contract/http/refusal.ts'
import type { StateResponse, StateClient } from '#launcher/contract/state/state-client.ts'

/** Result of the run of a call. */
export interface CalledRun {
  readonly runId: string
  readonly conversationId: string
  readonly output: unknown
}

/** A verified call. */
export interface CalledRunRequest extends PeerCallRequest {
  readonly traceparent: string
  readonly deadline: Date
  readonly signal: AbortSignal
}

const longestWaitSeconds = 8

/**
 * Creates the run of a call at the state role and waits for its end. A worker runs it at any launcher of this agent. Throws `Refusal`,
 * also for a run that does not succeed.
 */
export async function runCall(state: StateClient, call: CalledRunRequest): Promise<CalledRun> {
  const { envelope, payload, traceparent, deadline, signal } = call
  const ask = (path: string, body?: PeerCallRequest): Promise<StateResponse> =>
    state({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: { traceparent },
      signal,
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => {
      throw signal.aborted ? error : new Refusal('upstream_failure', 'The state role cannot be reached.')
    })
  let run = toRun(await ask('/amp/calls', { envelope, payload }))
  while (!isTerminal(run.state)) {
    const left = Math.floor((deadline.getTime() - Date.now()) / 1000)
    if (left < 0) throw ended(run, 'upstream_failure', 'has not ended by the deadline of the call')
    const seconds = Math.min(Math.max(left, 1), longestWaitSeconds)
    run = toRun(await ask(`/amp/calls/${encodeURIComponent(run.id)}?wait=${seconds}`))
  }
  if (run.state === 'succeeded')
    return { runId: run.id, conversationId: run.conversationId, output: run.output ?? null }
  throw ended(run, outcomes[run.error ?? ''] ?? 'upstream_failure', `ended as ${run.state}`)
}

// By the reason of the failure; `rejected` has those of approvals.
const outcomes: Readonly<Record<string, RefusalCode>> = {
  guardrail_blocked: 'blocked',
  approval_denied: 'blocked',
  approval_expired: 'blocked',
  permission_revoked: 'blocked',
  budget_exceeded: 'budget_exceeded',
}

interface KnownRun {
  readonly id: string
  readonly state: string
  readonly conversationId: string
  readonly output: unknown
  readonly error: string | undefined
}

function isTerminal(state: string): boolean {
  return [...terminalStates].some((one) => one === state)
}

function ended({ id }: KnownRun, code: RefusalCode, what: string): Refusal {
  return new Refusal(code, `The run ${id} of the called agent ${what}.`, { 'x-mesh-run-id': id })
}

// Errors of the state role that the caller shall see; others are failures of the platform.
const relayed: readonly RefusalCode[] = [
  'depth_exceeded',
  'cycle_detected',
  'idempotency_conflict',
  'caller_not_allowed',
]

function toRun({ status, body }: StateResponse): KnownRun {
  const { id, state, conversationId, output, error, code, detail } = body
  if (status < 300 && typeof id === 'string' && typeof state === 'string' && typeof conversationId === 'string') {
    const reason = isObject(error) && typeof error.code === 'string' ? error.code : undefined
    return { id, state, conversationId, output, error: reason }
  }
  const message = typeof detail === 'string' ? detail.slice(0, 500) : undefined
  const known = relayed.find((one) => one === code)
  if (known !== undefined) throw new Refusal(known, message)
  // The run of the caller is not its own, or has ended; its subject may not invoke this agent.
  if (status === 403 || status === 404 || status === 409) throw new Refusal('caller_not_allowed', message)
  if (status === 400 || status === 422) throw new Refusal('malformed_request', message)
  if (status === 413) throw new Refusal('payload_too_large')
  throw new Refusal('upstream_failure', status === 429 ? message : undefined)
}
