import { useAddress } from '#ui/contract/search.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Report } from '#ui/parts/page/card.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Breakdown } from './breakdown.tsx'
import { ChargebackMenu } from './chargeback-menu.tsx'
import { costPeriods, currenciesOf } from './cost-days.ts'
import type { CostReport, ForecastView } from './cost-days.ts'
import { CostHead } from './cost-head.tsx'
import { CostNotice } from './cost-notice.tsx'
import styles from './cost.module.css'
import { SpendCard } from './spend-card.tsx'
import { costText as text } from './text.ts'
import { useCostChoice, useDaysOfGroups, useForecast, useReport } from './use-cost.ts'

const periods = costPeriods.map((value) => ({ value, label: text.periods[value] }))

/** What was spent, whether it will last, and by whom. */
export function CostPage() {
  const choice = useCostChoice()
  const [, change] = useAddress()
  const { data, error, refetch } = useReport(choice)
  const forecast = useForecast(choice)
  // Both change the bars: nothing moves below the pointer. The report does not wait for what fails.
  const isChartAway = [forecast, useDaysOfGroups(choice)].some((one) => one.isLoading && one.failureCount === 0)
  return (
    <>
      <PageBar title={text.title}>
        <Segmented
          label={text.period}
          value={choice.period}
          options={periods}
          onChange={(period) => change({ period: period === 'month' ? undefined : period, cursor: undefined })}
        />
        <ChargebackMenu choice={choice} />
      </PageBar>
      <div className={styles['page']}>
        {data === undefined || isChartAway ? (
          error === null || isChartAway ? (
            <Waiting />
          ) : (
            <ProblemState
              error={error}
              onRetry={() => {
                refetch().catch(() => undefined)
              }}
            />
          )
        ) : (
          <Report>
            <Reports report={data} forecast={forecast.data} />
          </Report>
        )}
      </div>
    </>
  )
}

/** A report of each currency: amounts of two are never added. */
function Reports({ report, forecast }: { readonly report: CostReport; readonly forecast: ForecastView | undefined }) {
  const choice = useCostChoice()
  const currencies = currenciesOf(report, forecast)
  if (report.total.calls === 0 && currencies.length === 0)
    return (
      <EmptyState icon="coin" title={text.empty}>
        {text.emptyDetail}
      </EmptyState>
    )
  return (
    <>
      <CostNotice totals={report.total} />
      {(currencies.length === 0 ? ['USD'] : currencies).map((currency) => (
        <section key={currency} className={styles['report']} aria-label={currency}>
          {currencies.length > 1 ? <h2>{currency}</h2> : undefined}
          <CostHead {...{ report, forecast, currency, choice }} />
          <SpendCard {...{ report, forecast, currency, choice }} />
          <Breakdown {...{ currency, choice }} total={report.total} />
        </section>
      ))}
    </>
  )
}

function Waiting() {
  return (
    <div className={styles['waiting']} aria-busy>
      <span />
      <span />
      <span />
    </div>
  )
}
