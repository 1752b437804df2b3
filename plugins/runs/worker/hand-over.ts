import { sleep } from '#core/async/sleep.ts'
import type { FailReason, InvokeRequest } from '#schemas/run.ts'
import type { Beginning } from '../store/internal/lease.ts'
import type { DriveServices } from './drive-services.ts'
import { type Answering, type LauncherClient, LauncherRefused } from './launcher-client.ts'
import type { Launchers } from './launchers.ts'

/** How a run gets to its agent. */
export interface Handing {
  readonly request: InvokeRequest
  readonly first: LauncherClient
  readonly launchers: Launchers
  readonly cancelled: AbortSignal
  /** Commits that the segment begins at a launcher, under its ticket; false when somebody changed the run meanwhile. */
  begin(beginning: Beginning): Promise<boolean>
}

/** The launcher that took the run. */
export interface Taken {
  readonly launcher: LauncherClient
  /** Undefined when it did not say. */
  readonly answering: Answering | undefined
}

/** The agent is busy with other runs. */
export interface Busy {
  readonly busy: LauncherRefused
  /** That no launcher can have this one: an invoke that got no answer may arrive yet, and only a higher epoch keeps it from beginning. */
  readonly isSure: boolean
}

/**
 * Hands the run over; the launcher that took it, that it is busy, or the reason of failure; undefined when it is not to be begun any
 * more. Retrying is safe: the run id is the idempotency key of one launcher. When that one is busy or goes away, another is asked, but
 * only as long as no launcher can have the run: after a silence another one would be a second invocation (O6).
 */
export async function handOver(
  { request, first, launchers, cancelled, begin }: Handing,
  { unreachableAfterMs: patienceMs, busyPatienceMs }: Pick<DriveServices, 'unreachableAfterMs' | 'busyPatienceMs'>,
): Promise<Taken | Busy | FailReason | undefined> {
  let deadline = performance.now() + patienceMs
  let busyUntil: number | undefined
  let launcher = first
  let begun: Ticketed | undefined
  let mayHaveIt = false
  const rest = createRest()
  for (;;) {
    const asked = begun ?? (await askTicket(launcher))
    if ('ticket' in asked && begun === undefined) {
      if (!(await begin({ ticket: asked.ticket, launcher: launcher.at }))) return undefined
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
    if (refused?.status === 429 && (!mayHaveIt || refused.isWithoutRun)) {
      busyUntil ??= performance.now() + busyPatienceMs
      deadline = performance.now() + patienceMs // it answers
      if (performance.now() > busyUntil) return { busy: refused, isSure: !mayHaveIt }
    }
    if (performance.now() > deadline) return 'agent_unreachable'
    if (mayHaveIt) {
      if (await launcher.isGone()) return 'lost_worker'
      await rest()
      continue
    }
    // Cancelled while it waits for a place: it never gets one. Where it may have begun, it is handed over to be stopped.
    if (!launchers.hasMore()) await rest(cancelled)
    if (cancelled.aborted) return 'agent_unreachable'
    const next = (await launchers.next().catch(() => undefined)) ?? launcher
    if (next.at.id !== launcher.at.id) begun = undefined // a ticket is worth nothing elsewhere
    launcher = next
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
 * or refuses because it can no longer know, or has no place for it. Undefined when it did not take it; following it tells what that
 * means.
 */
export async function handOverAgain(
  { request, launcher, ticket, stop }: Repeating,
  { unreachableAfterMs: patienceMs, busyPatienceMs }: Pick<DriveServices, 'unreachableAfterMs' | 'busyPatienceMs'>,
): Promise<Taken | Busy | undefined> {
  let deadline = performance.now() + patienceMs
  let busyUntil: number | undefined
  let isSure = true
  const rest = createRest()
  while (!stop.aborted) {
    const answer = await tell(launcher, request, ticket)
    if ('answering' in answer) return { launcher, ...answer }
    const { error } = answer
    const refused = error instanceof LauncherRefused ? error : undefined
    if (refused && refused.status !== 429 && refused.status !== 503) return undefined
    isSure &&= refused !== undefined || isUnconnected(error)
    if (refused?.isWithoutRun) {
      busyUntil ??= performance.now() + busyPatienceMs
      deadline = performance.now() + patienceMs // it answers
      if (performance.now() > busyUntil) return { busy: refused, isSure }
    }
    if (performance.now() > deadline || (await launcher.isGone())) return undefined
    await rest(stop)
  }
  return undefined
}

// Pauses, each time longer.
function createRest(): (signal?: AbortSignal) => Promise<void> {
  let ms = 50
  return (signal) => {
    const resting = sleep(ms, signal)
    ms = Math.min(ms * 2, 1000)
    return resting
  }
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
  if (!(error instanceof Error && 'code' in error)) return false
  // What a connection that was open says later may have the same code: the system call tells.
  const connecting = 'syscall' in error && error.syscall === 'connect'
  return connecting || unconnected.has(error.code)
}

const unconnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'MESH_LAUNCHER_UNCONNECTED',
  'MESH_LAUNCHER_UNPROVEN',
  'UND_ERR_CONNECT_TIMEOUT',
])
