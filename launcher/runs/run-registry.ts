import type { ActiveRuns } from '../contract/runs/active-runs.ts'
import type { InvokeRequest, InvokeResult } from '#schemas/runs/run.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import { Refusal } from '../contract/http/refusal.ts'
import type { RefusalCode } from '../contract/http/refusal.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { startAttempt } from './attempt.ts'
import type { Attempt } from './attempt.ts'
import { createFencing } from './fencing.ts'
import type { Agent, StopReason } from './run-context.ts'
import { createTickets } from './tickets.ts'
import type { RunAuthority } from '../contract/runs/run-origin.ts'

/** Options of `createRegistry`. */
export interface RegistryOptions {
  readonly agentName: string
  readonly agent: Agent
  readonly tracer: Tracer
  readonly concurrency: number
  readonly timeoutMs: number
  /** Whether guardrails or tool calls may pause runs. */
  readonly guarded?: boolean | undefined
  readonly now?: () => Date
  /** Called when an attempt has started. */
  readonly onStart?: ((attempt: Attempt, epoch: number) => void) | undefined
  /** Called when an attempt has ended or paused. */
  readonly onEnd?: (state: InvokeResult['state']) => void
  /** Maximum memory of all journals (64 MiB). */
  readonly maxBytes?: number
  /** Time that an unacknowledged result is kept (15 min). */
  readonly keepMs?: number
  /** The clock of the tickets, in milliseconds. */
  readonly monotonic?: () => number
}

/** A request to start or resume a run. */
export interface StartRequest {
  readonly runId: string
  readonly epoch: number
  readonly request: InvokeRequest
  readonly parent: Trace | undefined
  /** On whose behalf the run is executed; absent in an unsigned launcher. */
  readonly authority?: RunAuthority
  /** Absent: the run starts if it is unknown. */
  readonly ticket?: string | undefined
  /** True if the agent accepts a run now; not required for a known run. */
  readonly ready?: boolean
}

/** The runs of this launcher: an agent is never invoked twice for one run. */
export interface RunRegistry extends ActiveRuns {
  /** Starts the run, or returns the known attempt. Throws `Refusal`. */
  start(request: StartRequest): Attempt
  /**
   * Issues a ticket, which a worker commits before it starts a run: the ticket can start the run only here, and only once. Throws `Refusal` if the
   * start would be refused, so that the worker can ask another launcher before the commit.
   */
  ticket(ready: boolean): string
  /** Returns the attempt of a known run and raises its epoch; for an unknown run raises the minimum epoch. Throws `Refusal`. */
  attach(runId: string, epoch: number): Attempt
  /** Drops the journal and the result of an ended run; idempotent. */
  acknowledge(runId: string, epoch: number): void
  /** Upper estimate of the memory of all journals. */
  bytes(): number
  /** Refuses new runs from now on. */
  refuseNew(): void
  /** Resolves when all known runs have ended and were acknowledged. */
  idle(): Promise<void>
  stopAll(reason: StopReason): Promise<void>
}

interface Known {
  attempt: Attempt | undefined // undefined: acknowledged; kept so that a late repeat does not start the run
  epoch: number
  last: InvokeResult | undefined
  expiry: NodeJS.Timeout | undefined
}

const defaults = { maxBytes: 64 * 1024 * 1024, keepMs: 15 * 60_000 }

/** Creates an empty registry. */
export function createRegistry(options: RegistryOptions): RunRegistry {
  const runs = new Map<string, Known>()
  const { maxBytes = defaults.maxBytes, keepMs = defaults.keepMs } = options
  // A run is kept for at least `keepMs` after its end.
  const tickets = createTickets(keepMs / 3, options.monotonic)
  const fencing = createFencing(keepMs)
  let refusing = false
  let idleWaiters: (() => void)[] = []

  // Attempts count against the concurrency until their agent has stopped, which is after the outcome if the time limit was exceeded.
  const atWork = new Set<Attempt>()
  const working = (): Attempt[] => [...atWork].filter((attempt) => attempt.isAtWork())
  const workingOn = (runId: string | undefined): Attempt | undefined => working().find((one) => one.runId === runId)
  const attempts = (): Attempt[] => [...runs.values()].flatMap(({ attempt }) => attempt ?? [])
  const bytes = (): number => attempts().reduce((sum, { journal }) => sum + journal.bytes, 0)
  const settleIdle = (): void => {
    if (attempts().length > 0 || working().length > 0) return
    for (const resolve of idleWaiters) resolve()
    idleWaiters = []
  }
  const forget = (known: Known, runId: string): void => {
    known.attempt = undefined
    clearTimeout(known.expiry)
    known.expiry = setTimeout(() => runs.delete(runId), keepMs).unref()
    settleIdle()
  }
  // Drops the oldest results first; stops a running attempt only if no other result is left.
  const bound = (grown: Attempt): void => {
    let total = bytes()
    for (const [runId, known] of runs) {
      if (total <= maxBytes) return
      // Keeps the result that has just been recorded: its worker has not read it.
      if (known.attempt?.result() === undefined || known.attempt === grown) continue
      total -= known.attempt.journal.bytes
      forget(known, runId)
    }
    if (total > maxBytes && grown.result() === undefined) grown.stop('overflow')
  }
  const awaitStop = async (attempt: Attempt): Promise<void> => {
    atWork.add(attempt)
    await attempt.stopped
    atWork.delete(attempt)
    settleIdle()
  }
  const keepResult = async (known: Known, attempt: Attempt): Promise<void> => {
    known.last = await attempt.done
    options.onEnd?.(known.last.state)
    known.expiry = setTimeout(() => forget(known, attempt.runId), keepMs).unref()
  }
  // The ticket states that this process does not have the run, and that requests of older workers cannot start it here.
  const refuse = (start: StartRequest, code: RefusalCode, headers: Readonly<Record<string, string>> = {}): Refusal => {
    fencing.raise(start.runId, start.epoch)
    return new Refusal(code, undefined, { 'retry-after': '1', 'x-mesh-ticket': tickets.issue(), ...headers })
  }
  const begin = (start: StartRequest): Attempt => {
    if (start.ticket !== undefined && !tickets.isValid(start.ticket)) throw new Refusal('stale_ticket')
    if (start.epoch < fencing.minimum(start.runId)) throw new Refusal('stale_epoch')
    if (start.ready === false) throw refuse(start, 'agent_not_ready')
    if (refusing) throw refuse(start, 'draining')
    if (working().length >= options.concurrency)
      throw refuse(start, 'too_many_runs', { 'x-mesh-run-timeout-ms': String(options.timeoutMs) })
    const now = options.now ?? (() => new Date())
    const attempt = startAttempt({ ...options, ...start, now, onGrowth: bound })
    clearTimeout(runs.get(start.runId)?.expiry)
    const known: Known = { attempt, epoch: start.epoch, last: undefined, expiry: undefined }
    runs.set(start.runId, known)
    options.onStart?.(attempt, start.epoch)
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void awaitStop(attempt)
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void keepResult(known, attempt)
    return attempt
  }

  return {
    start(start) {
      const known = runs.get(start.runId)
      if (known === undefined) return begin(start)
      raiseEpoch(known, start.epoch)
      if (answersOpenInterrupt(known.last, start.request)) return begin(start)
      if (known.attempt === undefined) throw new Refusal('run_acknowledged')
      return known.attempt
    },
    ticket(ready) {
      const code = refusing ? 'draining' : ready ? undefined : 'agent_not_ready'
      if (code !== undefined) throw new Refusal(code, undefined, { 'retry-after': '1' })
      return tickets.issue()
    },
    attach(runId, epoch) {
      const known = runs.get(runId)
      if (known === undefined) fencing.raise(runId, epoch)
      if (known?.attempt === undefined) throw new Refusal('unknown_run')
      raiseEpoch(known, epoch)
      return known.attempt
    },
    acknowledge(runId, epoch) {
      const known = runs.get(runId)
      if (known === undefined) throw new Refusal('unknown_run')
      raiseEpoch(known, epoch)
      if (known.attempt === undefined) return
      if (known.attempt.result() === undefined) throw new Refusal('malformed_request', 'the run has not ended')
      forget(known, runId)
    },
    active: () => working().map(({ runId }) => runId),
    bytes,
    emit: (runId, kind, data, spanId) => {
      workingOn(runId)?.journal.append(kind, data, spanId)
    },
    traceOf: (runId) => workingOn(runId)?.trace,
    originOf: (runId) => workingOn(runId)?.origin,
    approvalsOf: (runId) => workingOn(runId)?.approvals,
    report: (runId, usage, data, spanId) => workingOn(runId)?.report(usage, data, spanId),
    refuseNew: () => {
      refusing = true
    },
    idle: () => {
      const waiting = new Promise<void>((resolve) => idleWaiters.push(resolve))
      settleIdle()
      return waiting
    },
    async stopAll(reason) {
      const stopping = working()
      for (const attempt of stopping) attempt.stop(reason)
      await Promise.all(stopping.map((attempt) => attempt.stopped))
    },
  }
}

// Refuses a worker that has lost its lease: it must not affect what a newer worker has started.
function raiseEpoch(known: Known, epoch: number): void {
  if (epoch < known.epoch) throw new Refusal('stale_epoch')
  // Current followers have a lower epoch and could not commit what they read.
  if (epoch > known.epoch) known.attempt?.journal.cut()
  known.epoch = epoch
}

// False for a repeat of the first request or of an earlier resume: its interrupts are not open.
function answersOpenInterrupt(last: InvokeResult | undefined, request: InvokeRequest): boolean {
  if (last?.state !== 'paused') return false
  const answered = new Set(request.context?.resume?.resolutions.map(({ interruptId }) => interruptId))
  return last.interrupts.some(({ id }) => answered.has(id))
}
