/** What was spent on a day, by series; amounts are the decimal strings of the API. */
export interface DayAmounts {
  /** ISO 8601. */
  readonly day: string
  readonly amounts: Readonly<Record<string, string>>
  /** The day has not ended. */
  readonly isPartial?: boolean
  readonly forecast?: { readonly amount: string; readonly low: string; readonly high: string }
}

/** A part of a bar. */
export interface StackPart {
  readonly series: number
  readonly value: number
}

/** A bar of the chart; a forecast has no parts. */
export interface DayStack {
  readonly day: string
  readonly parts: readonly StackPart[]
  readonly total: number
  readonly isPartial: boolean
  readonly forecast: { readonly value: number; readonly low: number; readonly high: number } | undefined
}

const MOST_SERIES = 6

/** The names of the series: those with the highest sum, at most five of them, and the rest as one. */
export function topSeries(days: readonly DayAmounts[], rest: string): readonly string[] {
  const sums = new Map<string, number>()
  for (const { amounts } of days)
    for (const [name, amount] of Object.entries(amounts)) sums.set(name, (sums.get(name) ?? 0) + toNumber(amount))
  const names = [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
  return names.length <= MOST_SERIES ? names : [...names.slice(0, MOST_SERIES - 1), rest]
}

/** The bars of days. What is in no series is in the last one. */
export function toStacks(days: readonly DayAmounts[], series: readonly string[]): readonly DayStack[] {
  return days.map(({ day, amounts, isPartial = false, forecast }) => {
    const values = series.map(() => 0)
    for (const [name, amount] of Object.entries(amounts)) {
      const found = series.indexOf(name)
      const at = found === -1 ? series.length - 1 : found
      values[at] = (values[at] ?? 0) + toNumber(amount)
    }
    return {
      day,
      parts: values.map((value, at) => ({ series: at, value })).filter(({ value }) => value > 0),
      total: values.reduce((sum, value) => sum + value, 0),
      isPartial,
      forecast: forecast && {
        value: toNumber(forecast.amount),
        low: toNumber(forecast.low),
        high: toNumber(forecast.high),
      },
    }
  })
}

// For heights of pixels only; sums that are written stay decimal.
function toNumber(amount: string): number {
  const value = Number(amount)
  return Number.isFinite(value) ? Math.max(0, value) : 0
}
