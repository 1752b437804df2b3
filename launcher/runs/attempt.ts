import { genAi, genAiOperations } from '#core/otlp/gen-ai.ts'
import { longTimeout } from '#core/async/long-timeout.ts'
import { msToDuration } from '#schemas/values/duration.ts'
import type { InvokeRequest, InvokeResult } from '#schemas/runs/run.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { openApprovals } from './approvals.ts'
import type { Approvals } from '../contract/runs/approvals.ts'
import { createJournal } from './journal.ts'
import type { Follower, Journal } from './journal.ts'
import { createRunContext, failed, stopped } from './run-context.ts'
import { noUsage } from '../contract/runs/usage.ts'
import type { Agent, RunContext, StopReason } from './run-context.ts'
import { toOrigin } from './run-origin.ts'
import type { RunOrigin, RunAuthority } from '../contract/runs/run-origin.ts'

/** One attempt of a run, from its start or a resume to its outcome. */
export interface Attempt {
  readonly runId: string
  readonly journal: Journal
  /** Span of the attempt. */
  readonly trace: Trace
  readonly origin: RunOrigin
  /** The outcome: when the agent's work has stopped, or at the time limit of the run. */
  readonly done: Promise<InvokeResult>
  /** Resolves when the agent's work on the run has stopped; after a time limit this is later than `done`. */
  readonly stopped: Promise<void>
  isAtWork(): boolean
  result(): InvokeResult | undefined
  stop(reason: StopReason): void
  readonly approvals: Approvals | undefined
  /** Adds to the token counts of the run and appends an entry. */
  report: RunContext['report']
  follow(after: number, follower: Follower): () => void
}

/** Options of `startAttempt`. */
export interface AttemptOptions {
  readonly runId: string
  readonly request: InvokeRequest
  readonly parent: Trace | undefined
  readonly authority?: RunAuthority
  readonly agentName: string
  readonly agent: Agent
  readonly tracer: Tracer
  readonly timeoutMs: number
  readonly now: () => Date
  /** Whether guardrails or tool calls may pause the run. */
  readonly guarded?: boolean | undefined
  /** Called after each entry, to bound the memory of all journals. */
  readonly onGrowth: (attempt: Attempt) => void
}

const overflow: StopReason = 'overflow'

/** Starts the agent. Does not throw; the last entry of the journal is the outcome. */
export function startAttempt(options: AttemptOptions): Attempt {
  const journal = createJournal([options.agentName], options.now)
  // Read once: with two readings, a millisecond of difference would attribute the agent's own time limit to the calling run.
  const startedAt = options.now()
  const origin = toOrigin(options, startedAt)
  const timeoutMs = Math.max(0, origin.deadline.getTime() - startedAt.getTime())
  const abort = new AbortController()
  const span = options.tracer.start('run', options.parent, {
    'mesh.run.id': options.runId,
    [genAi.operation]: genAiOperations.runAgent,
    [genAi.agentName]: options.agentName,
  })
  const done = Promise.withResolvers<InvokeResult>()
  let result: InvokeResult | undefined
  let atWork = true
  const grown = (): void => options.onGrowth(attempt)
  // Entries between the stop and the end of the agent's work are dropped: their size has no bound.
  const keep = (write: () => void): void => {
    if (abort.signal.reason === overflow) return
    write()
    grown()
  }
  const opened = options.guarded === true ? openApprovals(options.request) : undefined
  const context = createRunContext({
    runId: options.runId,
    request: opened?.request ?? options.request,
    approvals: opened?.approvals,
    signal: abort.signal,
    span,
    tracer: options.tracer,
    journal: {
      append: (kind, data, spanId) => keep(() => journal.append(kind, data, spanId)),
      delta: (messageId, text, spanId) => keep(() => journal.delta(messageId, text, spanId)),
      hold: (bytes) => keep(() => journal.hold(bytes)),
      pressure: journal.pressure,
    },
  })
  const settle = (given: InvokeResult): void => {
    if (result !== undefined) return
    timer.cancel()
    const outcome = appendOutcome(journal, withLimit(given, options.timeoutMs, timeoutMs), span.spanId)
    result = outcome
    span.end(outcome.state === 'failed' || outcome.state === 'timed_out' ? 'error' : 'ok', {
      'mesh.run.state': outcome.state,
    })
    journal.end()
    done.resolve(outcome)
    grown()
  }
  // The outcome is reported at the limit (UXL5); the agent's time to stop follows. The outcome contains the messages so far.
  const timer = longTimeout(() => {
    if (abort.signal.aborted) return
    abort.abort('timeout' satisfies StopReason)
    journal.finishMessages()
    settle(stopped(abort.signal, context.usage()))
  }, timeoutMs)
  const work = async (): Promise<void> => {
    // In a later microtask, so that `attempt` is assigned before the first entry calls `onGrowth`.
    const agentResult = await Promise.resolve()
      .then(() => options.agent.run(context))
      .catch(() => failed('agent_error', 'the agent failed unexpectedly', noUsage))
    // Before the outcome is reported: the next run can start immediately.
    atWork = false
    settle(agentResult)
  }
  const attempt: Attempt = {
    runId: options.runId,
    journal,
    trace: span,
    origin,
    approvals: opened?.approvals,
    report: context.report,
    done: done.promise,
    stopped: work(),
    isAtWork: () => atWork,
    result: () => result,
    stop: (reason) => abort.abort(reason),
    follow: (after, follower) => journal.follow(after, follower),
  }
  return attempt
}

function withLimit(outcome: InvokeResult, limitMs: number, timeoutMs: number): InvokeResult {
  if (outcome.state !== 'timed_out') return outcome
  const message =
    timeoutMs < limitMs
      ? 'past the deadline of the calling run'
      : `longer than limits.timeout (${msToDuration(limitMs)})`
  return { ...outcome, message }
}

// An outcome that cannot be serialized must not end the launcher and its other runs (SEC19).
function appendOutcome(journal: Journal, outcome: InvokeResult, spanId: string): InvokeResult {
  try {
    journal.append(`run.${outcome.state}`, { ...outcome }, spanId)
    return outcome
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'Error'
    const failure = failed('agent_error', `the outcome cannot be written as JSON (${reason})`, outcome.usage)
    journal.append('run.failed', { ...failure }, spanId)
    return failure
  }
}
