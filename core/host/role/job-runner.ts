import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Job, JobTerm, Running, Term } from '#core/jobs/background-work.ts'
import { parseCron } from '#core/jobs/cron.ts'
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

// A failed job is retried; the delay doubles with each consecutive failure.
const retry = { minMs: 1_000, maxMs: 60_000 }
// The wall clock may be set, and a machine may sleep: a long wait for a tick looks at the clock again.
const longestWaitMs = 30_000

/** Runs each job until the signal aborts: leader-only ones while this process holds the job's lease, others in every replica. */
export function runJobs(options: JobsOptions): Running {
  const { platform, signal } = options
  const done = options.jobs.map((job) => {
    const run = (term: Term): Promise<void> =>
      job.cron === undefined ? repeat(job, term, options) : runAtTicks(job, job.cron, term, options)
    return job.leaderOnly ? platform.lead(job.name, run, signal) : run({ epoch: 0n, signal })
  })
  return { done: Promise.all(done).then(() => undefined) }
}

async function repeat(job: Job, term: Term, options: JobsOptions): Promise<void> {
  for (let failures = 0; !term.signal.aborted;) {
    const failed = (await attempt(job, term, options)) === 'failed'
    const pause = failed ? backoffMs(failures, retry) : job.every
    failures = failed ? failures + 1 : 0
    if (pause === undefined || term.signal.aborted) return
    await sleep(pause, term.signal, { ref: false })
  }
}

/**
 * Runs a job at the times of its expression. Times are compared with the last executed tick, not with the clock at which it ran, so that
 * clocks of replicas may differ. Ticks that passed meanwhile are one execution, with the latest of them.
 */
async function runAtTicks(job: Job, cron: string, term: Term, options: JobsOptions): Promise<void> {
  const schedule = parseCron(cron, job.timezone)
  let last = await lastTick(job, term, options)
  for (let failures = 0; !term.signal.aborted;) {
    const now = options.now()
    const next = schedule.next(last)
    if (next === undefined) return
    if (next > now) {
      await sleep(Math.min(next.getTime() - now.getTime(), longestWaitMs), term.signal, { ref: false })
      continue
    }
    const tick = schedule.latest(now) ?? next
    const outcome = await attempt(job, { ...term, tick }, options)
    if (outcome === 'ok') {
      last = tick
      await recordTick(job, tick, options)
    }
    if (outcome === 'failed') await sleep(backoffMs(failures, retry), term.signal, { ref: false })
    failures = outcome === 'failed' ? failures + 1 : 0
  }
}

// Only a job with a leader has one history. Another one begins at the start of each process.
async function lastTick(job: Job, { signal }: Term, { platform, log, now }: JobsOptions): Promise<Date> {
  const first = now()
  if (!job.leaderOnly || platform.ticks === undefined) return first
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await platform.ticks.read(job.name, first)
    } catch (error) {
      log.warn({ job: job.name, ...describeError(error) }, 'reading the last tick of a job failed, retrying')
      await sleep(backoffMs(failures, retry), signal, { ref: false })
    }
  }
  return first
}

// If the tick cannot be stored, a later leader repeats it: an execution too many rather than one too few.
async function recordTick(job: Job, tick: Date, { platform, log }: JobsOptions): Promise<void> {
  if (!job.leaderOnly) return
  await platform.ticks?.record(job.name, tick).catch((error: unknown) => {
    log.warn({ job: job.name, ...describeError(error) }, 'recording a tick of a job failed')
  })
}

async function attempt(
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
