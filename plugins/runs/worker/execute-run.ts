import type { FailReason, InvokeRequest, RunLineage } from '#schemas/runs/run.ts'
import { executeRunKind } from './executor/execute-run-kind.ts'
import { grantAgeMs } from '../grants/grants.ts'
import { neverMessage } from '../launchers/wait-message.ts'
import { mayStart } from '../lifecycle/decide.ts'
import { readInvocation } from '../store/internal/content.ts'
import { releaseLease } from '../store/internal/lease.ts'
import type { Claim } from '../store/internal/lease.ts'
import { readAgentPath } from '../store/internal/agent-path.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { LeaseLost } from '../lifecycle/run-writer.ts'
import { previewRuleOf } from '../previews/preview-rule.ts'
import { readConversation } from '../read/conversation-history.ts'
import type { DispatchOutcome, SegmentState } from './decide-dispatch.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { WorkerServices } from './segment/worker-services.ts'
import {
  backOffMs,
  failRun,
  isUnavailable,
  settleFailure,
  revisionMessage,
  unprovenMessage,
  unreadyMessage,
} from './segment/settle-failure.ts'
import { findLauncher } from './find-launcher.ts'
import { followRun } from './follow-run.ts'
import { dispatchRun } from './dispatch-run.ts'
import type { DispatchResult } from './dispatch-run.ts'
import type { LauncherClient } from './connections/launcher-client.ts'
import type { Launchers } from './connections/choose-launcher.ts'
import { recordRevision } from './segment/record-revision.ts'
import { commitStart, requeue } from './segment/start-segment.ts'
import { inRunSpan } from './run-span.ts'

// A grant is valid for seven days; the right may have been revoked since.
const recheckAfterMs = 3_600_000

/** A claimed run in progress. */
export interface Execution {
  /** Resolves with the milliseconds until the run is due again, or undefined if it was not released. Never rejects. */
  readonly done: Promise<number | undefined>
  /** Checks whether a cancel of the run was requested. */
  nudge(): void
}

/** Executes a claimed run until it has ended or is paused, or the lease is lost. */
export function executeRun(services: WorkerServices, claim: Claim, signal: AbortSignal): Execution {
  const cancel = new AbortController()
  const done = execute(services, claim, signal, cancel)
    .then(
      // A run that has not ended was changed by another process meanwhile: it is due again immediately.
      (afterMs = 0) => ({ afterMs, failed: false }),
      (error: unknown) => afterError(services, claim, error, signal),
    )
    .then(({ afterMs, failed }) => releaseClaim(services, claim, afterMs, failed))
  return {
    done,
    nudge: () => {
      findRun(services.store.reader<RunsTables>(), claim.runId)
        .then((run) => run?.state === 'cancelling' && cancel.abort())
        .catch(() => undefined)
    }, // the next nudge retries
  }
}

/** When a run is due again after an error, and whether the error counts as a failed try. */
function afterError(services: WorkerServices, claim: Claim, error: unknown, signal: AbortSignal) {
  if (signal.aborted) return { afterMs: 0, failed: false }
  const { runId, epoch, tries } = claim
  if (error instanceof LeaseLost) return { afterMs: services.retryMs, failed: false }
  const failed = !isUnavailable(error)
  const afterMs = backOffMs(services, failed ? tries : 0)
  services.log.error({ runId, epoch, tries, afterMs, ...describeError(error) }, 'run execution failed, retrying')
  return { afterMs, failed }
}

/** Releases the lease of a run that has not ended; an ended or paused run is unchanged. */
async function releaseClaim(
  services: WorkerServices,
  claim: Claim,
  afterMs: number,
  failed: boolean,
): Promise<number | undefined> {
  // Ended or paused by this worker.
  if (claim.held.run.leaseState !== 'ready') return undefined
  const release = services.store.transact((tx) => releaseLease(tx.tables<RunsTables>(), claim, afterMs, failed))
  return release.then(
    (isReleased) => (isReleased ? afterMs : undefined),
    () => undefined, // the lease expires
  )
}

/** Returns the milliseconds after which a run that waits for its busy agent is due again. */
async function execute(
  services: WorkerServices,
  claim: Claim,
  signal: AbortSignal,
  cancel: AbortController,
): Promise<number | undefined> {
  const { run } = claim.held.run
  const content = await readInvocation(services.store.reader<RunsTables>(), run)
  if (!content) return undefined
  return inRunSpan(services.tracer, run, claim.epoch, async () => {
    const found: Found = { claim, run, content, signal, cancel, reached: {} }
    return executeFound(services, found).catch((error: unknown) => {
      if (error instanceof LeaseLost || signal.aborted) throw error
      return settleFailure(services, { claim, run, stopAgent: () => stopAgent(found) }, error)
    })
  })
}

/** Asks the launcher that has the run to stop and discard it. If that fails, the launcher's own time limits apply. */
async function stopAgent({ reached: { launcher } }: Found): Promise<void> {
  await launcher?.cancel().catch(() => undefined)
  await launcher?.acknowledge().catch(() => undefined)
}

interface Found {
  readonly claim: Claim
  readonly run: SelectedRun
  readonly content: Content
  readonly signal: AbortSignal
  readonly cancel: AbortController
  /** The launcher that accepted the run. */
  readonly reached: { launcher?: LauncherClient }
}

type Content = NonNullable<Awaited<ReturnType<typeof readInvocation>>>

async function executeFound(services: WorkerServices, found: Found): Promise<number | undefined> {
  const { claim, run, content, signal, cancel } = found
  if (run.executor !== null) return executeRunKind(services, found, () => isStillAllowed(services, found))
  const launchers = services.launchersOf(run, { grant: () => content.grant_token, revision: content.revision }, claim)
  const fail = (reason: FailReason, message?: string) =>
    failRun(services, found, reason, unprovenMessage(reason, launchers) ?? message ?? revisionMessage(reason, found))
  // Cancelled before it ever reached the agent: there is nothing to stop.
  if (run.state === 'cancelling' && !run.started) return fail('agent_unreachable')
  if (run.state === 'cancelling') cancel.abort()
  const absent = await absentRevision(services, found)
  if (absent !== undefined) return fail('agent_unreachable', absent)
  const { launcher, never } = await findLauncher(services, launchers, { claim, run, signal, cancelled: cancel.signal })
  if (!launcher)
    return signal.aborted
      ? undefined
      : fail('agent_unreachable', never ?? unreadyMessage(services, run, content.revision))
  if (mayStart(run) && !(await isStillAllowed(services, found))) return fail('permission_revoked')
  const dispatched = await dispatchFound(services, found, { launcher, launchers })
  return afterDispatch(services, found, dispatched, fail)
}

/** Why a run whose revision does not run fails immediately: pods of other revisions would refuse it until it counts as unreachable. */
async function absentRevision(
  services: WorkerServices,
  { claim, run, content, signal }: Found,
): Promise<string | undefined> {
  if (content.revision === null || run.started) return undefined
  // Without a response the launchers decide.
  const readiness = await services.readiness(run, claim.epoch, signal).catch(() => undefined)
  return readiness?.outcome === 'never' ? neverMessage(run, readiness.reason) : undefined
}

/** Executes the outcome of a dispatch; the milliseconds after which a run that is not finished is due again. */
async function afterDispatch(
  services: WorkerServices,
  found: Found,
  { launcher, outcome }: DispatchResult,
  fail: (reason: FailReason) => Promise<undefined>,
): Promise<number | undefined> {
  const { claim, run } = found
  switch (outcome.do) {
    case 'follow':
      return followDispatched(services, found, launcher, outcome).then((reason) => reason && fail(reason))
    case 'requeue': {
      const segment = mayStart(run) ? run.segment : run.segment - 1
      return requeue(services, claim, { ...run, segment }, outcome.runTimeoutMs)
    }
    case 'release':
      return services.retryMs
    case 'fail':
      return fail(outcome.reason)
    case 'abandon':
      return undefined
  }
}

/** Follows the segment at its launcher and records the result; returns the reason of failure if it has no result. */
async function followDispatched(
  services: WorkerServices,
  { claim, run, content, signal, cancel, reached }: Found,
  launcher: LauncherClient,
  { agentRevision }: Extract<DispatchOutcome, { readonly do: 'follow' }>,
): Promise<FailReason | undefined> {
  reached.launcher = launcher
  const revision = recordRevision(claim, run, agentRevision)
  const isNew = mayStart(run)
  const result = await followRun(services, {
    claim: isNew ? { ...claim, launcherN: 0 } : claim,
    run,
    isNew,
    launcher,
    signal,
    cancelled: cancel.signal,
    revision,
    previews: previewRuleOf(content.agent_spec),
  })
  if (result !== 'recorded') return result
  // After the commit: if the acknowledgement is lost, the launcher keeps the result until its retention ends.
  await launcher.acknowledge().catch(() => undefined)
  return undefined
}

/** Checks the right of the subject again before a late or later segment, and renews the grant. */
async function isStillAllowed(services: WorkerServices, { claim, run, content }: Found): Promise<boolean> {
  if (run.segment === 0 && reviewAgeMs(run, content) <= recheckAfterMs) return true
  const { allowed, grant } = await services.recheck(run, claim.epoch)
  content.grant_token = grant ?? content.grant_token
  return allowed
}

// The grant of a prepared run was signed before the run was created.
function reviewAgeMs(run: SelectedRun, content: Content): number {
  const now = new Date()
  return Math.max(now.getTime() - run.created_at.getTime(), grantAgeMs(content.grant_token, now) ?? 0)
}

async function dispatchFound(
  services: WorkerServices,
  { claim, run, content, signal, cancel }: Found,
  at: { readonly launcher: LauncherClient; readonly launchers: Launchers },
): Promise<DispatchResult> {
  const isNew = mayStart(run)
  const beforeSegment = isNew ? run : { ...run, segment: run.segment - 1 }
  const read = () => toRequest(services, beforeSegment, content)
  // Read before the start is committed: a read that fails then leaves the segment new.
  let request = isNew ? await read() : undefined
  return dispatchRun(
    {
      ...at,
      segment: isNew ? { kind: 'new' } : startedSegment(claim, run),
      cancelled: cancel.signal,
      stopping: signal,
      request: async () => (request ??= await read()),
      commitStart: (start) => commitStart(services, claim, run, start),
    },
    services,
  )
}

/** A segment that a previous worker started. It is not invoked again if its ticket belongs to another segment or its run is cancelled. */
function startedSegment(claim: Claim, run: SelectedRun): SegmentState {
  const isValid = run.state === 'running' && claim.ticketSegment === run.segment
  const ticket = isValid ? (claim.ticket ?? undefined) : undefined
  return { kind: 'started', by: 'previous-worker', ticket, unanswered: false }
}

async function toRequest(services: WorkerServices, run: SelectedRun, content: Content): Promise<InvokeRequest> {
  const history = content.has_history ? await readConversation(services.store.reader<RunsTables>(), run) : []
  const lineage = await readLineage(services, run, content)
  const resume = run.segment > 0 ? { resolutions: content.resolutions, checkpoint: content.checkpoint } : undefined
  return {
    input: content.input,
    conversationId: run.conversation_id,
    context: { history, ...(resume ? { resume } : {}), ...(lineage ? { lineage } : {}) },
  }
}

async function readLineage(
  { store }: WorkerServices,
  { parent_run_id: parent, root_run_id: rootRunId }: SelectedRun,
  { deadline }: Content,
): Promise<RunLineage | undefined> {
  if (parent === null && deadline === null) return undefined
  const path = parent === null ? [] : await readAgentPath(store.reader<RunsTables>(), parent)
  return { rootRunId, path, ...(deadline === null ? {} : { deadline: deadline.toISOString() }) }
}
