import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'
import type { Platform, Running } from './platform.ts'
import type { Job, Term } from './work.ts'

/** What running jobs needs. */
export interface JobsOptions {
  readonly jobs: readonly Job[]
  readonly platform: Pick<Platform, 'lead'>
  readonly log: Logger
  readonly signal: AbortSignal
}

// A job that failed is tried again; twice as long after each failure in a row.
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 60_000

/** Runs each job until the signal aborts: leader-only ones while this process leads the row of the job's name, others in every replica. */
export function runJobs(options: JobsOptions): Running {
  const { platform, signal } = options
  const done = options.jobs.map((job) => {
    const run = (term: Term): Promise<void> => repeat(job, term, options.log)
    return job.leaderOnly ? platform.lead(job.name, run, signal) : run({ epoch: 0n, signal })
  })
  return { done: Promise.all(done).then(() => undefined) }
}

async function repeat(job: Job, term: Term, log: Logger): Promise<void> {
  let retry = FIRST_RETRY_MS
  while (!term.signal.aborted) {
    const failed = await attempt(job, term, log)
    retry = failed ? Math.min(retry * 2, LAST_RETRY_MS) : FIRST_RETRY_MS
    const pause = failed ? retry / 2 : job.every
    if (pause === undefined || term.signal.aborted) return
    await delay(pause, undefined, { signal: term.signal, ref: false }).catch(() => undefined)
  }
}

async function attempt(job: Job, term: Term, log: Logger): Promise<boolean> {
  try {
    await job.run(term)
    return false
  } catch (error) {
    if (!term.signal.aborted) log.error({ job: job.name, error: String(error) }, 'a job failed and will run again')
    return !term.signal.aborted
  }
}
