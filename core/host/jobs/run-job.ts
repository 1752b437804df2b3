import type { Job, JobTerm } from '#core/jobs/background-work.ts'
import { workMetrics } from '#core/jobs/metrics.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { asSpan } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Platform } from '../platform/platform.ts'

/** Dependencies of running jobs. */
export interface JobsOptions {
  readonly jobs: readonly Job[]
  readonly platform: Pick<Platform, 'lead' | 'ticks'>
  readonly log: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer | undefined
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** A failed job is retried; the delay doubles with each consecutive failure. */
export const jobRetry = { minMs: 1_000, maxMs: 60_000 }

/** Runs a job once, as a span with metrics. A failure is logged. */
export async function attemptJob(
  job: Job,
  term: JobTerm,
  { log, metrics, tracer }: JobsOptions,
): Promise<'ok' | 'failed' | 'aborted'> {
  const started = performance.now()
  const ended = (outcome: 'ok' | 'failed'): void =>
    metrics
      ?.histogram(workMetrics.jobSeconds)
      .observe((performance.now() - started) / 1000, { name: job.name, outcome })
  try {
    await traced(job, tracer, () => job.run(term))
    ended('ok')
    metrics?.gauge(workMetrics.jobSuccess).set(Date.now() / 1000, { name: job.name })
    // A job that saw the abort may have returned early.
    return term.signal.aborted ? 'aborted' : 'ok'
  } catch (error) {
    if (term.signal.aborted) return 'aborted'
    ended('failed')
    log.error({ job: job.name, ...describeError(error) }, 'job failed, retrying')
    return 'failed'
  }
}

// One trace per execution. A loop that runs as long as its process is not an operation.
function traced(job: Job, tracer: Tracer | undefined, run: () => Promise<void>): Promise<void> {
  if (tracer === undefined || (job.every === undefined && job.cron === undefined)) return run()
  return asSpan({ tracer, parent: undefined, name: `job ${job.name}` }, run)
}
