import type { calledRun } from '#plugins/runs/contract/wire.ts'
import type { PeerCallRequest } from '#schemas/launcher/envelope.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { RefusalCode } from '#launcher/contract/http/refusal.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { startCalledRun, readCalledRun } from '../contract/wire.ts'

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
 * Creates the run of a call at the state role and waits for its end. A worker executes the run at any launcher of this agent. Throws `Refusal`, even
 * for a run that does not succeed.
 */
export async function runCall(state: StateClient, call: CalledRunRequest): Promise<CalledRun> {
  const { envelope, payload, traceparent, deadline, signal } = call
  const sent = { headers: { traceparent }, signal }
  const reached = (response: Promise<PathResponse<CalledRunState>>): Promise<PathResponse<CalledRunState>> =>
    response.catch((error: unknown) => {
      throw signal.aborted ? error : new Refusal('upstream_failure', 'The state role cannot be reached.')
    })
  let run = toRun(await reached(callState(state, startCalledRun, { ...sent, body: { envelope, payload } })))
  while (!isTerminal(run.state)) {
    const left = Math.floor((deadline.getTime() - Date.now()) / 1000)
    if (left < 0) throw ended(run, 'upstream_failure', 'has not ended by the deadline of the call')
    const query = { wait: Math.min(Math.max(left, 1), longestWaitSeconds) }
    run = toRun(await reached(callState(state, readCalledRun, { ...sent, params: { id: run.id }, query })))
  }
  if (run.state === 'succeeded')
    return { runId: run.id, conversationId: run.conversationId, output: run.output ?? null }
  throw ended(run, outcomes[run.error?.code ?? ''] ?? 'upstream_failure', `ended as ${run.state}`)
}

// Refusals by failure reason; `rejected` has the reasons of approvals.
const outcomes: Readonly<Record<string, RefusalCode>> = {
  guardrail_blocked: 'blocked',
  approval_denied: 'blocked',
  approval_expired: 'blocked',
  permission_revoked: 'blocked',
  budget_exceeded: 'budget_exceeded',
}

type CalledRunState = Static<typeof calledRun>

function isTerminal(state: string): boolean {
  return [...terminalStates].some((one) => one === state)
}

function ended({ id }: CalledRunState, code: RefusalCode, what: string): Refusal {
  return new Refusal(code, `The run ${id} of the called agent ${what}.`, { 'x-mesh-run-id': id })
}

// Errors of the state role that are passed to the caller; all others are failures of the platform.
const relayed: readonly RefusalCode[] = [
  'depth_exceeded',
  'cycle_detected',
  'idempotency_conflict',
  'caller_not_allowed',
]

function toRun({ status, value, problem: { code, detail } }: PathResponse<CalledRunState>): CalledRunState {
  if (value !== undefined) return value
  const message = detail?.slice(0, 500)
  const known = relayed.find((one) => one === code)
  if (known !== undefined) throw new Refusal(known, message)
  // The caller's run belongs to another agent or has ended, or its subject may not invoke this agent.
  if (status === 403 || status === 404 || status === 409) throw new Refusal('caller_not_allowed', message)
  if (status === 400 || status === 422) throw new Refusal('malformed_request', message)
  if (status === 413) throw new Refusal('payload_too_large')
  throw new Refusal('upstream_failure', status === 429 ? message : undefined)
}
