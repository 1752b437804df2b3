import { Cron } from 'croner'

/** Times of a cron expression. */
export interface CronSchedule {
  /** First tick after a time; undefined if none follows. */
  next(after: Date): Date | undefined
  /** Last tick at or before a time; undefined if there was none. */
  latest(at: Date): Date | undefined
}

/** A cron expression or time zone that cannot be used; the message says why. */
export class InvalidCron extends Error {
  override readonly name = 'InvalidCron'
}

const maxLength = 200
// croner replaces `?` by the time at which it parses the expression, which would differ between replicas.
const allowed = /^[\w*,/#@+ -]+$/

/**
 * Parses a cron expression of five fields, or a nickname such as `@daily`. Throws `InvalidCron`, also for an expression without any tick. In a
 * time zone with daylight saving, a fixed time runs once a day: at the end of the gap, or at the first of two occurrences.
 */
export function parseCron(expression: string, timezone = 'UTC'): CronSchedule {
  if (typeof expression !== 'string' || expression.length > maxLength || !allowed.test(expression))
    throw new InvalidCron(`cron must be five fields, such as "0 3 * * *", of at most ${maxLength} characters`)
  if (typeof timezone !== 'string' || timezone === '' || !isTimeZone(timezone))
    throw new InvalidCron('timezone must be an IANA time zone, such as Europe/Berlin')
  const cron = parse(expression, timezone)
  const next = (after: Date): Date | undefined => cron.nextRun(after) ?? undefined
  if (next(new Date()) === undefined) throw new InvalidCron(`cron "${expression}" has no time in the future`)
  return {
    next,
    // `previousRuns` is exclusive and of whole seconds.
    latest: (at) => cron.previousRuns(2, new Date(at.getTime() + 1_000)).find((tick) => tick <= at),
  }
}

function parse(expression: string, timezone: string): Cron {
  try {
    return new Cron(expression, { mode: '5-part', timezone, paused: true })
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'not a cron expression'
    throw new InvalidCron(`cron "${expression}": ${why}`)
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
