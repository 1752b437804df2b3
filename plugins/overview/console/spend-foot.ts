import type { Summary } from '#schemas/api/overview.ts'
import { sumAmounts, toMoney } from '#ui/parts/format/money.ts'
import { homeText } from './text.ts'

const { metrics: text } = homeText

/** The share of the ended runs that succeeded; null before one has ended. */
export function successShare(
  counts: { readonly succeeded: number; readonly failed: number } | undefined,
): number | null {
  if (counts === undefined || counts.succeeded + counts.failed === 0) return null
  return counts.succeeded / (counts.succeeded + counts.failed)
}

/** What stands below the spend: why it is unknown or not whole, else its forecast. */
export function spendFoot(summary: Pick<Summary, 'spend' | 'forecast'> | undefined): string {
  if (summary === undefined) return ''
  const { spend, forecast } = summary
  if (spend === null) return text.notYours
  if (spend.unpricedCalls > 0) return text.unpriced(spend.unpricedCalls)
  const [first] = spend.cost ?? []
  const rest = forecast?.items.find(({ currency }) => currency === first?.currency)?.restOfMonth
  if (first === undefined || rest === null || rest === undefined) return text.noForecast
  return text.forecast(toMoney(sumAmounts([first.amount, rest.amount]), first.currency))
}
