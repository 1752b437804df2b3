import type { AgentOutcome } from '../../contract/agent-model.ts'
import { GatewayError } from '../errors/gateway-error.ts'

const maxReason = 1_000

/** The output of a succeeded run as a string. For every other state, throws a `GatewayError` with the run id. */
export function textOfOutcome(outcome: AgentOutcome): string {
  const { runId, state, output, error } = outcome
  if (state === 'succeeded') return typeof output === 'string' ? output : JSON.stringify(output ?? null)
  if (state === 'paused')
    throw runError(outcome, 409, {
      code: 'run_paused',
      message: `The run ${runId} is waiting for a person; resume it with POST /api/runs/${runId}/resume.`,
    })
  if (state === 'queued' || state === 'running')
    throw runError(outcome, 504, {
      code: 'run_not_finished',
      message: `The run ${runId} has not ended in time; it continues.`,
    })
  const message = `The run ${runId} ended as ${state}${reasonOf(error)}`
  throw runError(outcome, 502, { code: error?.code ?? `run_${state}`, message })
}

function runError(
  { runId }: AgentOutcome,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): GatewayError {
  return new GatewayError(status, code, message, { headers: { 'x-mesh-run-id': runId } })
}

function reasonOf(error: AgentOutcome['error']): string {
  if (error === null) return '.'
  const { code, message } = error
  const reason = message === '' || message === code ? code : `${code}: ${message}`
  return reason.length > maxReason ? `: ${reason.slice(0, maxReason).toWellFormed()}...` : `: ${reason}`
}
