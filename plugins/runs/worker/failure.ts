import { exponentialMs } from '#core/async/backoff.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { codeOf, toStoreFailure } from '#core/database/database-errors.ts'
import { msToDuration } from '#schemas/duration.ts'
import type { FailReason } from '#schemas/run.ts'
import { decideFailure } from '../lifecycle/decide.ts'
import { saveOutcome } from '../store/internal/content.ts'
import { type Claim } from '../store/internal/lease.ts'
import { findRun } from '../store/internal/run-rows.ts'
import type { RunsTables, SelectedRun } from '../store/tables.ts'
import { workerAuthor } from '../lifecycle/run-writer.ts'
import { AgentFault, type FaultCause } from './agent-fault.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { WorkerServices } from './worker-services.ts'
import type { Launchers } from './choose-launcher.ts'

const maxBackOffMs = 60_000

/** A run whose drive failed, and how to make its agent stop. */
export interface FailedDrive {
  readonly claim: Claim
  readonly run: SelectedRun
  /** Asks the launcher to stop and to forget the run, once. Never rejects. */
  stopAgent(): Promise<void>
}

/** Ends a run as failed, or as cancelled when that was requested. */
export async function failRun(
  services: WorkerServices,
  { claim, run }: Pick<FailedDrive, 'claim' | 'run'>,
  reason: FailReason,
  message = failMessages[reason] ?? reason,
): Promise<undefined> {
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => ({
    facts: decideFailure(facts, reason),
    content: { failed: { message } },
    also: (db) => saveOutcome(db, run.id, { error: message }),
  }))
}

/** Message of a run whose agent's address is answered by another process than its launcher; undefined otherwise. */
export function unprovenMessage(reason: FailReason, launchers: Pick<Launchers, 'isUnproven'>): string | undefined {
  if (reason !== 'agent_unreachable' || !launchers.isUnproven()) return undefined
  return "The agent's address is answered by a process that did not prove that it is the agent's launcher; nothing was sent to it."
}

/** Message of a run whose agent had no pod that takes runs. */
export function unreadyMessage(
  { unreachableAfterMs }: Pick<WorkerServices, 'unreachableAfterMs'>,
  { namespace, agent_name: name }: SelectedRun,
): string {
  return `No pod of ${namespace}/${name ?? ''} was ready within ${msToDuration(unreachableAfterMs)}.`
}

const failMessages: Readonly<Partial<Record<FailReason, string>>> = {
  agent_unreachable: 'The agent could not be reached.',
  lost_worker: 'What the agent knew of the run is lost; it is not invoked again.',
  permission_revoked: 'The caller may no longer invoke the agent.',
}

/**
 * Decides what follows an error of a drive (F5): a fault of the agent ends the run, and so does data that the store refuses. Any other
 * error is thrown again, to be retried, until the tries are used up or the run is being cancelled. A store or state role that cannot
 * be reached is no try: it says nothing about the run.
 */
export async function settleFailure(services: WorkerServices, drive: FailedDrive, error: unknown): Promise<undefined> {
  const fault = toFault(error)
  if (fault === undefined && isUnavailable(error)) throw error
  const { claim, run } = drive
  const now = await findRun(services.store.reader<RunsTables>(), run.id)
  const isLast = now?.state === 'cancelling' || claim.tries + 1 >= services.driveTries
  if (fault === undefined && !isLast) throw error
  const { runId, epoch } = claim
  const cause: FaultCause = fault?.faultCause ?? 'tries'
  services.log.warn({ runId, epoch, cause, ...describeError(error) }, 'run ended by its worker')
  services.faulted?.(cause)
  await drive.stopAgent()
  if (fault) await failRun(services, drive, 'agent_error', fault.message)
  else
    await failRun(services, drive, 'lost_worker', `The run could not be continued after ${claim.tries + 1} attempts.`)
}

/** Pause before the next try, in milliseconds. */
export function backOffMs({ retryMs }: Pick<WorkerServices, 'retryMs'>, tries: number): number {
  return exponentialMs(tries, { minMs: retryMs, maxMs: maxBackOffMs })
}

/** The state role did not answer, or refused for a reason of its own. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
}

/** Whether the error says that a dependency cannot be reached, which passes by itself. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StateUnavailable) return true
  // Classes 53, 57 and 58: out of resources, shut down by an operator, failed system call.
  if (/^5[378]\w{3}$/.test(codeOf(error) ?? '')) return true
  const failure = toStoreFailure(error)
  return failure instanceof Fail && failure.code === 'store_unavailable'
}

// Class 22: the data is not valid for its type. Class 54: it is above a limit of PostgreSQL. Neither passes with time.
function toFault(error: unknown): AgentFault | undefined {
  if (error instanceof AgentFault) return error
  const isData = /^(?:22|54)\w{3}$/.test(codeOf(error) ?? '')
  return isData ? new AgentFault('not_storable', 'The agent sent data that cannot be stored.') : undefined
}
