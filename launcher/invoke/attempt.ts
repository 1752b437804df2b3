import { longTimeout } from '#core/async/long-timeout.ts'
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

/** Starts the agent's work; never throws. The last entry of the journal is the outcome. */
export function startAttempt(options: AttemptOptions): Attempt {
  const journal = createJournal([options.agentName], options.now)
  const abort = new AbortController()
  const span = options.tracer.start('run', options.parent, { 'mesh.run.id': options.runId })
  const timer = longTimeout(() => abort.abort('timeout' satisfies StopReason), options.timeoutMs)
  let result: InvokeResult | undefined
  const grown = (): void => options.onGrowth(attempt)
  const context = createRunContext({
    runId: options.runId,
    request: options.request,
    signal: abort.signal,
    span,
    tracer: options.tracer,
    journal: {
      append: (kind, data, spanId) => (journal.append(kind, data, spanId), grown()),
      delta: (messageId, text, spanId) => (journal.delta(messageId, text, spanId), grown()),
    },
  })
  const settle = (outcome: InvokeResult): InvokeResult => {
    timer.cancel()
    result = outcome
    span.end(outcome.state === 'failed' || outcome.state === 'timed_out' ? 'error' : 'ok', {
      'mesh.run.state': outcome.state,
    })
    journal.append(`run.${outcome.state}`, { ...outcome }, span.spanId)
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
