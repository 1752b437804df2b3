import type { AccessScope } from '#core/cluster/caller.ts'
import type { CostTotals } from '#schemas/api/cost.ts'
import type { CostForecastOfCurrency } from '#schemas/api/cost-forecast.ts'

/** Proofs of `list costs`. */
export type CostProofs = AccessScope<'list', 'costs'>

/** Cost of the current month, until today. */
export interface SpendOfMonth extends CostTotals {
  readonly from: string
  readonly to: string
}

/** Forecasts of the rest of the month. */
export interface ForecastOfMonth {
  readonly interval: number
  readonly complete: boolean
  readonly items: readonly Pick<CostForecastOfCurrency, 'currency' | 'method' | 'reason' | 'restOfMonth'>[]
}

/** Cost for other plugins, in the namespaces of proofs. */
export interface CostApi {
  spendOfMonth(access: CostProofs): Promise<SpendOfMonth>
  forecastOfMonth(access: CostProofs): Promise<ForecastOfMonth>
}
