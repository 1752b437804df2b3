import type { FailReason, InvokeRequest } from '#schemas/run.ts'
import type { DriveServices } from './drive-services.ts'
import { type Answering, type LauncherClient, LauncherRefused } from './launcher-client.ts'
import { pause } from './pause.ts'

/** How a run gets to its agent. */
export interface Handing {
  readonly request: InvokeRequest
  readonly first: LauncherClient
  readonly find: () => Promise<LauncherClient | undefined>
  readonly cancelled: AbortSignal
  /** Commits that the segment begins, under a launcher's ticket; false when somebody changed the run meanwhile. */
  begin(ticket: string | undefined): Promise<boolean>
}

/** The launcher that took the run. */
export interface Taken {
  readonly launcher: LauncherClient
  readonly answering: Answering
}

/** The agent is busy with other runs, and no launcher can have this one. */
export interface Busy {
  readonly busy: { readonly runTimeoutMs: number | undefined }
}

/**
 * Hands the run over; the launcher that took it, that it is busy, or the reason of failure; undefined when it is not to be begun any
 * more. Retrying is safe: the run id is the idempotency key of one launcher. In a rollout its address goes away, so it is asked anew,
 * but only as long as no launcher can have the run: after a silence another one would be a second invocation (O6).
 */
export async function handOver(
  { request, first, find, cancelled, begin }: Handing,
  { unreachableAfterMs: patienceMs, busyPatienceMs }: Pick<DriveServices, 'unreachableAfterMs' | 'busyPatienceMs'>,
): Promise<Taken | Busy | FailReason | undefined> {
  let deadline = performance.now() + patienceMs
  let busyUntil: number | undefined
  let launcher = first
  let begun: Ticketed | undefined
  let mayHaveIt = false
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1000)) {
    const asked = begun ?? (await askTicket(launcher))
    if ('ticket' in asked && begun === undefined) {
      if (!(await begin(asked.ticket))) return undefined
      begun = asked
    }
    const answer = 'error' in asked ? asked : await tell(launcher, request, asked.ticket)
    if ('answering' in answer) return { launcher, ...answer }
    const { error } = answer
    const refused = error instanceof LauncherRefused ? error : undefined
    mayHaveIt ||= begun !== undefined && !refused && !isUnconnected(error)
    if (refused?.status === 412) {
      // Another boot than the one that was asked. It cannot have the run; did the one before hear of it?
      if (mayHaveIt) return 'lost_worker'
      begun = undefined
    } else if (refused && refused.status !== 429 && refused.status !== 503) return 'agent_error'
    if (refused?.status === 429 && !mayHaveIt) {
      busyUntil ??= performance.now() + busyPatienceMs
      deadline = performance.now() + patienceMs // it answers
      if (performance.now() > busyUntil) return { busy: refused }
    }
    if (performance.now() > deadline) return 'agent_unreachable'
    // Cancelled while it waits for a place: it never gets one. Where it may have begun, it is handed over to be stopped.
    if (!mayHaveIt) await pause(waitMs, cancelled)
    else await pause(waitMs)
    if (cancelled.aborted && !mayHaveIt) return 'agent_unreachable'
    if (!mayHaveIt) launcher = (await find()) ?? launcher
  }
}

/** What a worker that takes over tells the launcher again. */
export interface Repeating {
  readonly request: InvokeRequest
  readonly launcher: LauncherClient
  readonly ticket: string
  readonly stop: AbortSignal
}

/**
 * Invokes a segment that another worker began, with the ticket that it committed: that launcher has the run already, or begins it now,
 * or refuses because it can no longer know. Undefined when it did not take it; following it tells what that means.
 */
export async function handOverAgain(
  { request, launcher, ticket, stop }: Repeating,
  { unreachableAfterMs }: Pick<DriveServices, 'unreachableAfterMs'>,
): Promise<Answering | undefined> {
  const deadline = performance.now() + unreachableAfterMs
  for (let waitMs = 50; !stop.aborted; waitMs = Math.min(waitMs * 2, 1000)) {
    const answer = await tell(launcher, request, ticket)
    if ('answering' in answer) return answer.answering
    const { error } = answer
    if (error instanceof LauncherRefused && error.status !== 429 && error.status !== 503) return undefined
    if (performance.now() > deadline) return undefined
    await pause(waitMs, stop)
  }
  return undefined
}

interface Ticketed {
  readonly ticket: string | undefined
}

interface Unanswered {
  readonly error: unknown
}

function askTicket(launcher: LauncherClient): Promise<Ticketed | Unanswered> {
  return launcher.ticket().then(
    (ticket) => ({ ticket }),
    (error: unknown) => ({ error }),
  )
}

function tell(
  launcher: LauncherClient,
  request: InvokeRequest,
  ticket: string | undefined,
): Promise<{ readonly answering: Answering } | Unanswered> {
  return launcher.invoke(request, ticket).then(
    (answering) => ({ answering }),
    (error: unknown) => ({ error }),
  )
}

// Nobody listened: the request was never sent.
function isUnconnected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND')
}
