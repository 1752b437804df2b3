import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Job, Term } from '#core/jobs/background-work.ts'
import { parseCron } from '#core/jobs/cron.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { JobsOptions } from './run-job.ts'
import { jobRetry, attemptJob } from './run-job.ts'

// The wall clock may be set, and a machine may sleep: a long wait for a tick looks at the clock again.
const longestWaitMs = 30_000

/**
 * Runs a job at the times of its expression. Times are compared with the last executed tick, not with the time at which it ran, so that clocks
 * of replicas may differ. Ticks that passed meanwhile cause one execution, for the latest of them.
 */
export async function runAtTicks(job: Job, cron: string, term: Term, options: JobsOptions): Promise<void> {
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
    const outcome = await attemptJob(job, { ...term, tick }, options)
    if (outcome === 'ok') {
      last = tick
      await recordTick(job, tick, options)
    }
    if (outcome === 'failed') await sleep(backoffMs(failures, jobRetry), term.signal, { ref: false })
    failures = outcome === 'failed' ? failures + 1 : 0
  }
}

// Only a job with a leader has one history. That of any other job begins at the start of each process.
async function lastTick(job: Job, { signal }: Term, { platform, log, now }: JobsOptions): Promise<Date> {
  const first = now()
  if (!job.leaderOnly || platform.ticks === undefined) return first
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await platform.ticks.read(job.name, first)
    } catch (error) {
      log.warn({ job: job.name, ...describeError(error) }, 'reading the last tick of a job failed, retrying')
      await sleep(backoffMs(failures, jobRetry), signal, { ref: false })
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
