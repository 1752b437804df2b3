import { exponentialMs } from '#core/async/backoff.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { codeOf, toStoreFailure } from '#core/database/session/database-errors.ts'
import { msToDuration } from '#schemas/values/duration.ts'
import type { FailReason } from '#schemas/runs/run.ts'
import { decideFailure } from '../../lifecycle/decide.ts'
import type { Claim } from '../../store/internal/lease.ts'
import { findRun } from '../../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { workerAuthor } from '../../lifecycle/run-writer.ts'
import { AgentFault } from '../entries/agent-fault.ts'
import type { FaultCause } from '../entries/agent-fault.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { WorkerServices } from './worker-services.ts'
import type { Launchers } from '../connections/choose-launcher.ts'

const maxBackOffMs = 60_000

/** A run whose execution failed. */
export interface FailedExecution {
  readonly claim: Claim
  readonly run: SelectedRun
  /** Requests once that the launcher stops and discards the run. Never rejects. */
  stopAgent(): Promise<void>
}

/** Ends a run as failed, or as cancelled if a cancel was requested. */
export async function failRun(
  services: WorkerServices,
  { claim, run }: Pick<FailedExecution, 'claim' | 'run'>,
  reason: FailReason,
  message = failMessages[reason] ?? reason,
): Promise<undefined> {
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => ({
    facts: decideFailure(facts, reason),
    content: { failed: { message } },
    stored: { error: message },
  }))
}

/** Message for a run for which another process responds at the launcher's address; undefined otherwise. */
export function unprovenMessage(reason: FailReason, launchers: Pick<Launchers, 'isUnproven'>): string | undefined {
  if (reason !== 'agent_unreachable' || !launchers.isUnproven()) return undefined
  return 'The process at the address of the agent did not prove that it is its launcher; nothing was sent to it.'
}

/** Message for a run whose agent had no ready pod. */
export function unreadyMessage(
  { unreachableAfterMs }: Pick<WorkerServices, 'unreachableAfterMs'>,
  { namespace, agent_name: name }: SelectedRun,
  revision: number | null,
): string {
  const which = revision === null ? '' : ` with revision ${revision}`
  return `No pod of ${namespace}/${name ?? ''}${which} was ready within ${msToDuration(unreachableAfterMs)}.`
}

/** Message for a run that is bound to a revision, whose ready pods refused it. */
export function revisionMessage(
  reason: FailReason,
  { run, content: { revision } }: { readonly run: SelectedRun; readonly content: { readonly revision: number | null } },
): string | undefined {
  if (reason !== 'agent_unreachable' || revision === null) return undefined
  return `Revision ${revision} of ${run.namespace}/${run.agent_name ?? ''} does not run, or its pods could not be reached.`
}

const failMessages: Readonly<Partial<Record<FailReason, string>>> = {
  agent_unreachable: 'The agent could not be reached.',
  lost_worker: 'The launcher has lost the state of the run; the agent is not invoked again.',
  permission_revoked: 'The caller may no longer invoke the agent.',
}

/**
 * Handles an error of an execution (F5). A fault of the agent and data that the store refuses end the run. Other errors are thrown
 * again, to be retried, until `maxAttempts` is reached or the run is being cancelled. An unavailable store or state role does not
 * count as an attempt.
 */
export async function settleFailure(
  services: WorkerServices,
  execution: FailedExecution,
  error: unknown,
): Promise<undefined> {
  const fault = toFault(error)
  if (fault === undefined && isUnavailable(error)) throw error
  const { claim, run } = execution
  const now = await findRun(services.store.reader<RunsTables>(), run.id)
  const isLast = now?.state === 'cancelling' || claim.tries + 1 >= services.maxAttempts
  if (fault === undefined && !isLast) throw error
  const { runId, epoch } = claim
  const cause: FaultCause = fault?.faultCause ?? 'tries'
  services.log.warn({ runId, epoch, cause, ...describeError(error) }, 'run ended by its worker')
  services.faulted?.(cause)
  await execution.stopAgent()
  if (fault) await failRun(services, execution, 'agent_error', fault.message)
  else
    await failRun(
      services,
      execution,
      'lost_worker',
      `The run could not be continued after ${claim.tries + 1} attempts.`,
    )
}

/** Pause before the next attempt in milliseconds. */
export function backOffMs({ retryMs }: Pick<WorkerServices, 'retryMs'>, tries: number): number {
  return exponentialMs(tries, { minMs: retryMs, maxMs: maxBackOffMs })
}

/** The state role did not respond, or responded with 429 or 5xx. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
}

/** Whether the error is the outage of a dependency, which is not counted as an attempt. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StateUnavailable) return true
  // SQLSTATE classes 53, 57 and 58: insufficient resources, operator intervention, system error.
  if (/^5[378]\w{3}$/.test(codeOf(error) ?? '')) return true
  const failure = toStoreFailure(error)
  return failure instanceof Fail && failure.code === 'store_unavailable'
}

// SQLSTATE class 22: data invalid for its type. Class 54: above a limit of PostgreSQL. Retrying cannot fix either.
function toFault(error: unknown): AgentFault | undefined {
  if (error instanceof AgentFault) return error
  const isData = /^(?:22|54)\w{3}$/.test(codeOf(error) ?? '')
  return isData ? new AgentFault('not_storable', 'The agent sent data that cannot be stored.') : undefined
}
