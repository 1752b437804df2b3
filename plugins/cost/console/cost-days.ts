import type { Static } from 'typebox'
import type { CostOfGroup, CostTotals, CostView } from '#schemas/api/cost.ts'
import type { CostForecast, CostForecastOfCurrency } from '#schemas/api/cost-forecast.ts'

/** A group of a breakdown. */
export type GroupRow = Static<typeof CostOfGroup>
/** A page of a breakdown. */
export interface BreakdownView {
  readonly items: readonly GroupRow[]
  readonly nextCursor: string | null
}
/** Cost by day. */
export type CostReport = Static<typeof CostView>
/** A forecast by currency. */
export type ForecastView = Static<typeof CostForecast>

/** Periods of the page. */
export const costPeriods = ['7d', 'month', '90d'] as const
/** One of them. */
export type CostPeriod = (typeof costPeriods)[number]

/** Dimensions of the breakdown. */
export const costGroups = ['agent', 'model', 'tenant', 'namespace', 'provider'] as const
/** One of them. */
export type CostDimension = (typeof costGroups)[number]

const DAY_MS = 86_400_000

/** The first and the last day of a period, in UTC. */
export function periodDays(period: CostPeriod, now: number): { readonly from: string; readonly to: string } {
  const to = dayOf(now)
  if (period === 'month') return { from: `${to.slice(0, 8)}01`, to }
  return { from: dayOf(now - (period === '7d' ? 6 : 89) * DAY_MS), to }
}

/** Each day from the first to the last one. */
export function daysBetween(from: string, to: string): readonly string[] {
  const count = Math.max(0, Math.min(400, (Date.parse(to) - Date.parse(from)) / DAY_MS + 1))
  return Array.from({ length: count }, (_, index) => dayOf(Date.parse(from) + index * DAY_MS))
}

/** The amount of a currency. Undefined if the cost of none of the calls is known. */
export function amountOf({ cost }: Pick<CostTotals, 'cost'>, currency: string): string | undefined {
  if (cost === null) return undefined
  return cost.find((one) => one.currency === currency)?.amount ?? '0'
}

/** The currencies of a report and its forecast; at least one, so that an empty report is one. */
export function currenciesOf(report: CostReport, forecast: ForecastView | undefined): readonly string[] {
  const spent = (report.total.cost ?? []).map(({ currency }) => currency)
  const before = (report.previous?.cost ?? []).map(({ currency }) => currency)
  const ahead = (forecast?.items ?? []).map(({ currency }) => currency)
  return [...new Set([...spent, ...before, ...ahead])]
}

/** The days of a month after the last one of a report, as a forecast has them. */
export function daysAhead(forecast: CostForecastOfCurrency | undefined, last: string) {
  const end = endOfMonth(last)
  return (forecast?.days ?? []).filter(({ day }) => day > last && day <= end)
}

function endOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return dayOf(Date.UTC(year, month, 0))
}

/** Name of a group in one of its dimensions; undefined for all other values together. */
export function groupName(row: GroupRow, dimension: CostDimension): string | null | undefined {
  if (row.other === true && (row as Readonly<Record<string, unknown>>)[dimension] === undefined) return undefined
  if (dimension === 'agent') return row.agent?.name ?? null
  return row[dimension] ?? null
}

/** A share of 1 of two amounts; undefined if it is not known. */
export function shareOf(part: string | undefined, whole: string | undefined): number | undefined {
  const share = Number(part) / Number(whole)
  return part === undefined || whole === undefined || !Number.isFinite(share) ? undefined : share
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
