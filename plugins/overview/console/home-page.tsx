import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { RunStats } from '#schemas/api/run-stats.ts'
import { useLive } from '#ui/api/live/live.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useReachable } from '#ui/contract/reachable.ts'
import { useAddress } from '#ui/contract/search.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Report } from '#ui/parts/page/card.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { LiveBadge } from '#ui/parts/status/live-badge.tsx'
import { useNow } from '#ui/parts/value/clock.ts'
import { AttentionCard, summaryQuery } from './attention-card.tsx'
import { BusiestAgents } from './busiest-agents.tsx'
import { FirstSteps } from './first-steps.tsx'
import styles from './home.module.css'
import { DayMetrics } from './day-metrics.tsx'
import { RecentRuns } from './recent-runs.tsx'
import { homeText as text } from './text.ts'
import { toHomeRange, windowOf } from './window.ts'
import type { HomeRange } from './window.ts'

const ranges = (['24h', '7d', '30d'] as const).map((value) => ({ value, label: text.ranges[value] }))

/** What needs a person, the day in numbers, and where to begin. Each card fails alone. */
export function HomePage() {
  const [{ namespace, range: given }, change] = useAddress()
  const range = toHomeRange(given)
  const now = useNow()
  const isReachable = useReachable()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const summary = summaryQuery(scope)
  const { isFetched } = useQuery(summary)
  const { data, error, refetch } = useQuery({
    ...apiQuery<RunStats>(['runs', 'stats'], { ...scope, ...windowOf(range, now), groupBy: 'agent', top: 6 }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageBar title={text.title}>
        <LiveBadge state={useLive()} />
        <span className={styles['range']}>
          <Segmented<HomeRange>
            label={text.range}
            value={range}
            options={ranges}
            onChange={(value) => change({ range: value === '24h' ? undefined : value })}
          />
        </span>
        {isReachable('/agents/new') ? (
          <ButtonLink to="/agents/new" kind="primary" icon="plus">
            {text.newAgent}
          </ButtonLink>
        ) : undefined}
      </PageBar>
      <Report>
        <AttentionCard query={summary} />
        {/* Nothing below the card is shown before it has its height: no row moves while a person reads or presses. */}
        {!isFetched ? undefined : (
          <>
            <DayMetrics stats={data} summary={summary} range={range} />
            <div className={styles['two']}>
              <RecentRuns scope={scope} />
              {data === undefined && error === null ? undefined : (
                <div className={styles['column']}>
                  <BusiestAgents stats={data} error={error} onRetry={() => refetch().catch(() => undefined)} />
                  <FirstSteps hasRuns={(data?.count ?? 0) > 0} />
                </div>
              )}
            </div>
          </>
        )}
      </Report>
    </>
  )
}
