import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TenantUsage } from '#schemas/api/tenants.ts'
import { useCapability } from '#ui/api/capabilities.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { costGroups, costPeriods, periodDays } from './cost-days.ts'
import type { BreakdownView, CostDimension, CostPeriod, CostReport, ForecastView } from './cost-days.ts'

/** What the address chooses. */
export interface CostChoice {
  readonly period: CostPeriod
  readonly group: CostDimension
  /** The second dimension of the table. */
  readonly by: CostDimension | undefined
  readonly view: 'days' | 'cumulative'
  /** The table has all groups, page by page. */
  readonly isWhole: boolean
  readonly scope: Readonly<Record<string, string>>
  readonly days: { readonly from: string; readonly to: string }
}

/** The choices of the address. An unknown one is the default. */
export function useCostChoice(): CostChoice {
  const [{ period, group, by, view, all, namespace }] = useAddress()
  // One day for all requests, and for as long as the page is open.
  const [now] = useState(() => Date.now())
  const shown = costPeriods.find((one) => one === period) ?? 'month'
  const dimension = costGroups.find((one) => one === group) ?? 'agent'
  const second = costGroups.find((one) => one === by && one !== dimension)
  return {
    period: shown,
    group: dimension,
    by: second,
    view: view === 'cumulative' ? 'cumulative' : 'days',
    // The groups of 90 days are more than one response has.
    isWhole: all === 'true' || second !== undefined || shown === '90d',
    scope: namespace === undefined ? { scope: 'permitted' } : { namespace },
    days: periodDays(shown, now),
  }
}

/** Spend of the period, with the period before. */
export function useReport({ scope, days }: CostChoice) {
  return useQuery(apiQuery<CostReport>(['cost'], { ...scope, ...days, previous: 'true' }))
}

/** What is expected. */
export function useForecast({ scope }: CostChoice) {
  return useQuery(apiQuery<ForecastView>(['cost', 'forecast'], scope))
}

const TOP = 5
const MOST = 200

/** The most expensive groups by day, for the chart. */
export function useDaysOfGroups({ scope, days, group, period }: CostChoice) {
  const query = { ...scope, ...days, groupBy: `day,${group}`, top: TOP, limit: MOST }
  return useQuery({
    ...apiQuery<BreakdownView>(['cost', 'breakdown'], query),
    enabled: period !== '90d',
    placeholderData: keepPreviousData,
  })
}

const PAGE = 50

/** All groups, page by page. */
export function useGroups({ scope, days, group, by, isWhole }: CostChoice, cursor: string | undefined) {
  const groupBy = by === undefined ? group : `${group},${by}`
  const query = { ...scope, ...days, groupBy, limit: PAGE, cursor }
  return useQuery({ ...apiQuery<BreakdownView>(['cost', 'breakdown'], query), enabled: isWhole, gcTime: 30_000 })
}

/** Live usage of the tenants, for their budgets. Who may not list them sees no budget. */
export function useBudgets() {
  const usage = apiQuery<{ readonly items: readonly TenantUsage[] }>(['tenants', 'usage'], { limit: MOST })
  return useQuery({ ...usage, enabled: useCapability('tenants.usage') })
}
