import { sleep } from '#core/async/sleep.ts'
import { msToDuration } from '#schemas/duration.ts'
import type { FailReason, InvokeRequest } from '#schemas/run.ts'
import { decideBusy, decideStart, mayBegin } from '../decide.ts'
import { readContent, saveOutcome } from '../store/internal/content.ts'
import { waitedMs } from '../store/internal/journal.ts'
import { beginSegment, type Beginning, type Claim, releaseLease } from '../store/internal/lease.ts'
import { findRun } from '../store/internal/run-rows.ts'
import type { RunsTables, SelectedRun } from '../store/tables.ts'
import { LeaseLost } from '../write.ts'
import { readConversation } from '../history.ts'
import { workerAuthor } from './author.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { DriveServices } from './drive-services.ts'
import { backOffMs, failRun, isUnavailable, settleFailure, unprovenMessage, unreadyMessage } from './failure.ts'
import { follow } from './follow.ts'
import { type Busy, handOver, handOverAgain, type Taken } from './hand-over.ts'
import type { LauncherClient } from './launcher-client.ts'
import type { Launchers } from './launchers.ts'
import { recordResult } from './result.ts'
import { noteRevision } from './revision.ts'
import { inRunSpan } from './run-span.ts'

const minBackOffMs = 1_000
const maxBackOffMs = 60_000
// A right may have been revoked, and a grant lasts seven days.
const recheckAfterMs = 3_600_000

/** A claimed run under way; `nudge` looks whether it shall be cancelled. */
export interface Drive {
  readonly done: Promise<void>
  nudge(): void
}

/** Works on a claimed run until it has ended, waits for a person, or the lease is lost. */
export function drive(services: DriveServices, claim: Claim, signal: AbortSignal): Drive {
  const cancel = new AbortController()
  const done = driveRun(services, claim, signal, cancel)
    .then(
      // What has not ended was changed by another process meanwhile: it is due again at once.
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
    }, // the next nudge asks again
  }
}

/** When a run is due again whose drive failed, and whether that was a try of its own. */
function afterError(services: DriveServices, claim: Claim, error: unknown, signal: AbortSignal) {
  if (signal.aborted) return { afterMs: 0, failed: false }
  const { runId, epoch, tries } = claim
  if (error instanceof LeaseLost) return { afterMs: services.retryMs, failed: false }
  const failed = !isUnavailable(error)
  const afterMs = backOffMs(services, failed ? tries : 0)
  services.log.error({ runId, epoch, tries, afterMs, ...describeError(error) }, 'driving a run failed, retrying')
  return { afterMs, failed }
}

/** A claim that was not finished goes back to the queue; a finished or waiting run is untouched. */
async function releaseClaim(services: DriveServices, claim: Claim, afterMs: number, failed: boolean): Promise<void> {
  const release = services.store.transact<RunsTables, void>((tx) => releaseLease(tx.db, claim, afterMs, failed))
  await release.catch(() => undefined) // the lease expires by itself
}

/** The milliseconds after which a run that waits for its busy agent is tried again. */
async function driveRun(
  services: DriveServices,
  claim: Claim,
  signal: AbortSignal,
  cancel: AbortController,
): Promise<number | undefined> {
  const reader = services.store.reader<RunsTables>()
  const run = await findRun(reader, claim.runId)
  const content = await readContent(reader, claim.runId)
  if (!run || !content) return undefined
  return inRunSpan(services.tracer, run, claim.epoch, async () => {
    const found: Found = { claim, run, content, signal, cancel, reached: {} }
    return driveFound(services, found).catch((error: unknown) => {
      if (error instanceof LeaseLost || signal.aborted) throw error
      return settleFailure(services, { claim, run, stopAgent: () => stopAgent(found) }, error)
    })
  })
}

/** Asks the launcher that has the run to stop it and to forget it. What it does not hear, its own time limits end. */
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
  /** The launcher that took the run. */
  readonly reached: { launcher?: LauncherClient }
}

type Content = NonNullable<Awaited<ReturnType<typeof readContent>>>

async function driveFound(services: DriveServices, found: Found): Promise<number | undefined> {
  const { claim, run, content, signal, cancel } = found
  const cancelled = cancel.signal
  const launchers = services.launchersOf(run, () => content.grant_token, claim)
  const fail = (reason: FailReason, message?: string) =>
    failRun(services, found, reason, unprovenMessage(reason, launchers) ?? message)
  // Cancelled before it ever reached the agent: nothing has to be stopped.
  if (run.state === 'cancelling' && !run.started) return fail('agent_unreachable')
  if (run.state === 'cancelling') cancel.abort()
  const first = await findLauncher(services, launchers, { claim, run, signal, cancelled })
  if (!first) return signal.aborted ? undefined : fail('agent_unreachable', unreadyMessage(services, run))
  const fresh = mayBegin(run)
  const taken = fresh
    ? await beginAnywhere(services, found, { first, launchers })
    : await takeOver(services, found, first)
  if (taken === undefined) return undefined
  if (typeof taken === 'string') return fail(taken)
  if ('busy' in taken) {
    const segment = fresh ? run.segment : run.segment - 1
    return taken.isSure ? putBack(services, claim, { ...run, segment }, taken.busy.runTimeoutMs) : services.retryMs
  }
  const { launcher, answering } = taken
  found.reached.launcher = launcher
  const revision = noteRevision(claim, run, answering?.agentRevision)
  const attempt = fresh ? { ...claim, launcherN: 0 } : claim
  const result = await follow(services, { claim: attempt, run, launcher, signal, cancelled, revision })
  if (result === undefined) return undefined
  if (typeof result === 'string') return fail(result)
  await recordResult(services, { claim, run, revision }, result)
  // After the commit: a lost acknowledgement only keeps the result in the launcher until its time is up.
  await launcher.acknowledge().catch(() => undefined)
  return undefined
}

async function beginAnywhere(
  services: DriveServices,
  { claim, run, content, cancel }: Found,
  { first, launchers }: { readonly first: LauncherClient; readonly launchers: Launchers },
): Promise<Taken | Busy | FailReason | undefined> {
  if (run.segment > 0 || Date.now() - run.created_at.getTime() > recheckAfterMs) {
    const { allowed, grant } = await services.recheck(run, claim.epoch)
    if (!allowed) return 'permission_revoked'
    content.grant_token = grant ?? content.grant_token
  }
  const request = await toRequest(services, run, content)
  const beginAt = (beginning: Beginning) => begin(services, claim, run, beginning)
  return handOver({ request, first, launchers, cancelled: cancel.signal, begin: beginAt }, services)
}

/** What another worker began goes on where it began it. */
async function takeOver(
  services: DriveServices,
  { claim, run, content, signal, cancel }: Found,
  launcher: LauncherClient,
): Promise<Taken | Busy> {
  const ticket = run.state === 'running' && claim.ticketSegment === run.segment ? claim.ticket : null
  if (ticket !== null) {
    const request = await toRequest(services, { ...run, segment: run.segment - 1 }, content)
    const stop = AbortSignal.any([signal, cancel.signal])
    const taken = await handOverAgain({ request, launcher, ticket, stop }, services)
    if (taken !== undefined) return taken
  }
  const answering = await launcher.look().catch(() => undefined) // what is wrong with it shows when it is followed
  return { launcher, answering }
}

/**
 * Commits that the segment has begun, before the agent hears of it, and under which ticket: whoever takes over has no other one, and
 * with it cannot make the agent begin a second time (O6). Again with another ticket only after every invoke with the one before was
 * refused: until this commit nobody else has claimed the run, so nobody else had that ticket.
 */
async function begin(services: DriveServices, claim: Claim, run: SelectedRun, beginning: Beginning): Promise<boolean> {
  const segment = run.segment + 1
  let began = false
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => {
    const started = decideStart(facts, claim.epoch)
    began = started.length > 0 || (facts.state === 'running' && facts.segment === segment)
    return { facts: started, ...(began ? { also: (db) => beginSegment(db, run.id, segment, beginning) } : {}) }
  })
  return began
}

/** A run of a busy agent frees its place in the worker, the longer the longer it has waited; its time runs on. */
async function putBack(
  services: DriveServices,
  claim: Claim,
  run: SelectedRun,
  timeoutMs = Infinity,
): Promise<number | undefined> {
  const waited = await waitedMs(services.store.reader<RunsTables>(), run.id)
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => {
    const decided = decideBusy(facts, waited >= timeoutMs)
    const over = decided.some(({ fact }) => fact !== 'requeued')
    const message = `waited longer than limits.timeout (${msToDuration(timeoutMs)}) for an agent that was busy with other runs`
    const isLate = decided.some(({ fact }) => fact === 'timed-out')
    return {
      facts: decided,
      content: { 'timed-out': { message } },
      also: (db) =>
        over ? saveOutcome(db, run.id, isLate ? { error: message } : {}) : beginSegment(db, run.id, run.segment),
    }
  })
  return Math.min(Math.max(waited / 2, minBackOffMs), maxBackOffMs, Math.max(timeoutMs - waited, 0))
}

/** The launcher that has the segment, else one that takes runs, waited for; undefined when there is none, or the run is cancelled meanwhile. */
async function findLauncher(
  { unreachableAfterMs }: DriveServices,
  launchers: Launchers,
  {
    claim,
    run,
    signal,
    cancelled,
  }: Omit<Found, 'content' | 'cancel' | 'reached'> & { readonly cancelled: AbortSignal },
): Promise<LauncherClient | undefined> {
  if (run.started && claim.launcher?.segment === run.segment) return launchers.at(claim.launcher)
  const deadline = performance.now() + unreachableAfterMs
  for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, 1000)) {
    const launcher = await launchers.next()
    // What was invoked has not stopped before it is reached, cancelled or not.
    if (launcher || (cancelled.aborted && !run.started) || performance.now() > deadline) return launcher
    await sleep(waitMs, signal)
  }
  return undefined
}

async function toRequest(services: DriveServices, run: SelectedRun, content: Content): Promise<InvokeRequest> {
  const history = await readConversation(services.store.reader<RunsTables>(), run)
  const resume = run.segment > 0 ? { resolutions: content.resolutions, checkpoint: content.checkpoint } : undefined
  return {
    input: content.input,
    conversationId: run.conversation_id,
    context: { history, ...(resume ? { resume } : {}) },
  }
}
