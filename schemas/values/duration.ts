const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * A duration such as `30s`, `90m`, `1h30m` or `2d12h`. CEL has no days, so durations with days have their units in descending order. A regular
 * expression can then compare them with a number of days.
 */
export const DURATION_PATTERN =
  '^([1-9][0-9]{0,8}d((1?[0-9]|2[0-3])h)?([1-5]?[0-9]m)?([1-5]?[0-9]s)?([0-9]{1,3}ms)?|([0-9]{1,9}(ms|s|m|h)){1,5})$'

/** Maximum delay of a timer in Node: 2^31 - 1 ms, 24.8 days. A longer one fires after 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Smallest and largest duration that a field accepts, both inclusive. */
export interface DurationBounds {
  readonly min: string
  readonly max: string
}

/** Bounds of every duration that a caller can set. All but the last five become timers. */
export const durationBounds = {
  /** One run of an agent. */
  runTimeout: { min: '1ms', max: '24d' },
  /** An HTTP request that waits for a run. */
  invokeTimeout: { min: '1ms', max: '24h' },
  /** An agent that waits for the run of another one. */
  delegateTimeout: { min: '1ms', max: '24d' },
  /** Time to the first byte of a model's response. */
  firstByte: { min: '1ms', max: '1h' },
  /** Time for which a target of a route is not called. */
  openCircuit: { min: '1s', max: '1h' },
  /** A check of content by an HTTP service, within the timeout of a filter. */
  guardCheck: { min: '10ms', max: '10s' },
  /** Time between two reads of the manifest of an MCP server. */
  mcpRefresh: { min: '1m', max: '24h' },
  /** One call of a tool of an MCP server: agent and launcher wait for it. */
  mcpCall: { min: '1s', max: '5m' },
  /** Validity of a share. */
  share: { min: '1m', max: '30d' },
  /** Filter of traces by their duration, which is at most 90 days. */
  traceDuration: { min: '1ms', max: '90d' },
  /** Shortest duration of the runs of a list. */
  shownDuration: { min: '1ms', max: '3650d' },
  /** Runs of the cases of one evaluation. */
  evaluation: { min: '10s', max: '24h' },
  /** Width of the bins of statistics. */
  statsInterval: { min: '1m', max: '3650d' },
  /** Retention of stored entries. */
  retention: { min: '1s', max: '3650d' },
} as const satisfies Readonly<Record<string, DurationBounds>>

const syntax = new RegExp(DURATION_PATTERN)

/** The bounds with which `durationText` marked a schema. */
export function boundsOf(schema: Readonly<Record<string, unknown>>): DurationBounds | undefined {
  return schema['x-mesh-duration'] as DurationBounds | undefined
}

/** Milliseconds of a duration; undefined if the string is not a duration. May exceed the maximum of a timer: see `durationProblem`. */
export function durationToMs(text: string): number | undefined {
  if (text === '' || text.length > 64 || !syntax.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d{1,9})(ms|s|m|h|d)/g))
    total += Number(count) * (UNIT_MS[unit ?? ''] ?? 0)
  return total
}

/** Formats a duration in the largest unit that yields a whole number. */
export function msToDuration(ms: number): string {
  const whole = Math.round(ms)
  const unit = (['d', 'h', 'm', 's'] as const).find((one) => whole > 0 && whole % (UNIT_MS[one] ?? 1) === 0) ?? 'ms'
  return `${whole / (UNIT_MS[unit] ?? 1)}${unit}`
}

/** What is wrong with a duration, or undefined if it is within the bounds. Never quotes the value. */
export function durationProblem(text: string, { min, max }: DurationBounds): string | undefined {
  const ms = durationToMs(text)
  if (ms !== undefined && ms >= bound(min) && ms <= bound(max)) return undefined
  return `must be a duration from ${min} to ${max}, such as 30s or 10m`
}

/**
 * The same check as a CEL rule on `self`, for values that match the pattern; the message has both bounds. A string built in the rule has no known
 * length, which exceeds the cost limit of an API server, so days are compared by `matches`.
 */
export function durationRule({ min, max }: DurationBounds): { readonly rule: string; readonly message: string } {
  const [least, most] = [bound(min), bound(max)]
  const maxDays = most / dayMs
  if (least > dayMs || (maxDays > 1 && !Number.isInteger(maxDays)))
    throw new TypeError('min is at most a day, max less than a day or whole days')
  const ofDays = maxDays < 1 ? 'false' : `self.matches('${daysUpTo(maxDays)}')`
  const ofRest = `duration(self) >= duration('${least}ms') && duration(self) <= duration('${most}ms')`
  return {
    rule: `self.contains('d') ? ${ofDays} : ${ofRest}`,
    message: `must be a duration from ${min} to ${max}`,
  }
}

const dayMs = 86_400_000

// Fewer days with any remainder, or the maximum number of days with a remainder of zero.
function daysUpTo(days: number): string {
  const fewer = days === 1 ? [] : [`(${digitsUpTo(days - 1)})d`]
  return `^(${[...fewer, `${days}d[0a-z]*$`].join('|')})`
}

// A regular expression for the numbers from 1 to `most`, written without leading zeros.
function digitsUpTo(most: number): string {
  const digits = String(most)
  const shorter = digits.length > 1 ? [`[1-9][0-9]{0,${digits.length - 2}}`] : []
  const below = [...digits].flatMap((digit, index) => {
    const least = index === 0 ? 1 : 0
    const rest = digits.length - index - 1
    return Number(digit) > least ? [`${digits.slice(0, index)}[${least}-${Number(digit) - 1}][0-9]{${rest}}`] : []
  })
  return [...shorter, ...below, digits].join('|')
}

function bound(text: string): number {
  const ms = durationToMs(text)
  if (ms === undefined) throw new TypeError(`${text} is not a duration`)
  return ms
}
