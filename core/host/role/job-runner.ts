import { sleep } from '#core/async/sleep.ts'
import type { Job, Running, Term } from '#core/jobs/background-work.ts'
import { workMetrics } from '#core/jobs/metrics.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { asSpan } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Platform } from '../platform/platform.ts'

/** Dependencies of running jobs. */
export interface JobsOptions {
  readonly jobs: readonly Job[]
  readonly platform: Pick<Platform, 'lead'>
  readonly log: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer | undefined
  readonly signal: AbortSignal
}

// A failed job is retried; the delay doubles with each consecutive failure.
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 60_000

/** Runs each job until the signal aborts: leader-only ones while this process holds the job's lease, others in every replica. */
export function runJobs(options: JobsOptions): Running {
  const { platform, signal } = options
  const done = options.jobs.map((job) => {
    const run = (term: Term): Promise<void> => repeat(job, term, options)
    return job.leaderOnly ? platform.lead(job.name, run, signal) : run({ epoch: 0n, signal })
  })
  return { done: Promise.all(done).then(() => undefined) }
}

async function repeat(job: Job, term: Term, options: JobsOptions): Promise<void> {
  let retry = FIRST_RETRY_MS
  while (!term.signal.aborted) {
    const failed = await attempt(job, term, options)
    retry = failed ? Math.min(retry * 2, LAST_RETRY_MS) : FIRST_RETRY_MS
    const pause = failed ? retry / 2 : job.every
    if (pause === undefined || term.signal.aborted) return
    await sleep(pause, term.signal, { ref: false })
  }
}

async function attempt(job: Job, term: Term, { log, metrics, tracer }: JobsOptions): Promise<boolean> {
  const started = performance.now()
  const ended = (outcome: 'ok' | 'failed'): void =>
    metrics
      ?.histogram(workMetrics.jobSeconds)
      .observe((performance.now() - started) / 1000, { name: job.name, outcome })
  try {
    await traced(job, tracer, () => job.run(term))
    ended('ok')
    metrics?.gauge(workMetrics.jobSuccess).set(Date.now() / 1000, { name: job.name })
    return false
  } catch (error) {
    if (term.signal.aborted) return false
    ended('failed')
    log.error({ job: job.name, error: String(error) }, 'job failed, retrying')
    return true
  }
}

// One trace per execution. A loop that runs as long as its process is not an operation.
function traced(job: Job, tracer: Tracer | undefined, run: () => Promise<void>): Promise<void> {
  if (tracer === undefined || job.every === undefined) return run()
  return asSpan({ tracer, parent: undefined, name: `job ${job.name}` }, run)
}
