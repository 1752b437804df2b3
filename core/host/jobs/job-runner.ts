import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Job, RunningBackgroundWork, Term } from '#core/jobs/background-work.ts'
import type { JobsOptions } from './run-job.ts'
import { jobRetry, attemptJob } from './run-job.ts'
import { runAtTicks } from './cron-catch-up.ts'

/** Runs each job until the signal aborts: leader-only ones while this process holds the job's lease, others in every replica. */
export function runJobs(options: JobsOptions): RunningBackgroundWork {
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
    const failed = (await attemptJob(job, term, options)) === 'failed'
    const pause = failed ? backoffMs(failures, jobRetry) : job.every
    failures = failed ? failures + 1 : 0
    if (pause === undefined || term.signal.aborted) return
    await sleep(pause, term.signal, { ref: false })
  }
}
