import { longTimeout } from '#core/async/long-timeout.ts'
import { msToDuration } from '#schemas/duration.ts'
import type { InvokeRequest, InvokeResult } from '#schemas/run.ts'
import type { Trace } from '#core/telemetry/tracing.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { createJournal } from './journal.ts'
import type { Follower, Journal } from './journal.ts'
import { createRunContext, failed, noUsage } from './run.ts'
import type { Agent, StopReason } from './run.ts'

/** One attempt of a run: from its start, or from a resume, to its outcome. */
export interface Attempt {
  readonly runId: string
  readonly journal: Journal
  readonly traceId: string
  /** The outcome, once the agent's work has stopped. */
  readonly done: Promise<InvokeResult>
  result(): InvokeResult | undefined
  stop(reason: StopReason): void
  follow(after: number, follower: Follower): () => void
}

/** What an attempt is started with. */
export interface AttemptOptions {
  readonly runId: string
  readonly request: InvokeRequest
  readonly parent: Trace | undefined
  readonly agentName: string
  readonly agent: Agent
  readonly tracer: Tracer
  readonly timeoutMs: number
  readonly now: () => Date
  /** Called after each entry, so that the owner can bound what is kept. */
  readonly onGrowth: (attempt: Attempt) => void
}

const overflow: StopReason = 'overflow'

/** Starts the agent's work; never throws. The last entry of the journal is the outcome. */
export function startAttempt(options: AttemptOptions): Attempt {
  const journal = createJournal([options.agentName], options.now)
  const abort = new AbortController()
  const span = options.tracer.start('run', options.parent, { 'mesh.run.id': options.runId })
  const timer = longTimeout(() => abort.abort('timeout' satisfies StopReason), options.timeoutMs)
  let result: InvokeResult | undefined
  const grown = (): void => options.onGrowth(attempt)
  // What arrives between the stop and the end of the agent's work is not kept: its size has no bound.
  const keep = (write: () => void): void => {
    if (abort.signal.reason === overflow) return
    write()
    grown()
  }
  const context = createRunContext({
    runId: options.runId,
    request: options.request,
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
  const settle = (given: InvokeResult): InvokeResult => {
    timer.cancel()
    const outcome = appendOutcome(journal, withLimit(given, options.timeoutMs), span.spanId)
    result = outcome
    span.end(outcome.state === 'failed' || outcome.state === 'timed_out' ? 'error' : 'ok', {
      'mesh.run.state': outcome.state,
    })
    journal.end()
    grown()
    return outcome
  }
  const attempt: Attempt = {
    runId: options.runId,
    journal,
    traceId: span.traceId,
    // A turn later, so that `attempt` exists when the first entry grows the journal.
    done: Promise.resolve()
      .then(() => options.agent.run(context))
      .catch(() => failed('agent_error', 'the agent failed unexpectedly', noUsage))
      .then(settle),
    result: () => result,
    stop: (reason) => abort.abort(reason),
    follow: (after, follower) => journal.follow(after, follower),
  }
  return attempt
}

function withLimit(outcome: InvokeResult, timeoutMs: number): InvokeResult {
  if (outcome.state !== 'timed_out') return outcome
  return { ...outcome, message: `longer than limits.timeout (${msToDuration(timeoutMs)})` }
}

// An outcome that cannot be written must not take the launcher and its other runs along (SEC19).
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
