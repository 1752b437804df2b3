import { MAX_TIMER_MS } from '#schemas/values/duration.ts'
import type { Job } from './background-work.ts'
import { parseCron } from './cron.ts'

/** Throws if a job, which untyped JavaScript may have declared, cannot be run. The message names the job and the field. */
export function checkJob(job: Job): void {
  const given = job as { readonly [Field in keyof Job | 'cron' | 'timezone']?: unknown }
  if (typeof given.name !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,99}$/.test(given.name))
    throw new TypeError('a job needs a name of lowercase letters, digits, . and -, such as acme.report')
  const refuse = (why: string): never => {
    throw new TypeError(`job ${given.name}: ${why}`)
  }
  if (typeof given.run !== 'function') refuse('run must be a function')
  if (typeof given.leaderOnly !== 'boolean') refuse('leaderOnly must be true or false')
  if (given.every !== undefined && given.cron !== undefined) refuse('every and cron are mutually exclusive')
  if (given.timezone !== undefined && given.cron === undefined) refuse('timezone is for cron')
  if (given.every !== undefined && !isInterval(given.every)) refuse(`every must be 1 to ${MAX_TIMER_MS} milliseconds`)
  if (job.cron === undefined) return
  try {
    parseCron(job.cron, job.timezone)
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error))
  }
}

function isInterval(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= MAX_TIMER_MS
}
