import type { CostTotals } from '#schemas/api/cost.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Facet } from '#ui/parts/filter/facet.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { breakdownColumns } from './breakdown-columns.tsx'
import { amountOf, costGroups } from './cost-days.ts'
import type { CostDimension } from './cost-days.ts'
import styles from './cost.module.css'
import { sumOfDays, toTableRows } from './group-sums.ts'
import { costText as text } from './text.ts'
import { useDaysOfGroups, useGroups } from './use-cost.ts'
import type { CostChoice } from './use-cost.ts'

interface BreakdownProps {
  readonly currency: string
  readonly choice: CostChoice
  readonly total: CostTotals
}

const options = costGroups.map((value) => ({ value, label: text.groups[value] }))

/** Who spent it: the groups of the chart, or all groups of one or two dimensions. */
export function Breakdown({ currency, choice, total }: BreakdownProps) {
  const { group, by, isWhole } = choice
  const [, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const isNarrow = useNarrow()
  const setGroup = (value: string | undefined): void =>
    change({ group: value === 'agent' ? undefined : value, by: undefined, cursor: undefined })
  const days = useDaysOfGroups(choice)
  const whole = useGroups(choice, cursor)
  const { data, error, refetch } = isWhole ? whole : days
  const dimensions: readonly CostDimension[] = by === undefined ? [group] : [group, by]
  const rows =
    data && (isWhole ? toTableRows(data.items, dimensions, currency) : sumOfDays(data.items, group, currency))
  const next = data?.nextCursor ?? null
  return (
    <Card
      isFlush
      title={text.breakdown}
      action={
        <span className={styles['groups']}>
          {isNarrow ? (
            <Facet label={text.group} options={options} value={group} onChange={setGroup} />
          ) : (
            <Segmented label={text.group} value={group} options={options} onChange={setGroup} />
          )}
          <Facet
            label={text.and}
            options={options.filter(({ value }) => value !== group)}
            value={by}
            onChange={(value) => change({ by: value, cursor: undefined })}
          />
        </span>
      }
    >
      <DataTable
        isInCard
        label={text.breakdown}
        columns={breakdownColumns(dimensions, currency, amountOf(total, currency))}
        rows={rows}
        keyOf={({ key }) => key}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        empty={
          <EmptyState icon="coin" title={text.empty}>
            {text.emptyDetail}
          </EmptyState>
        }
      />
      {isWhole ? (
        <Pager
          note={text.note}
          order="other"
          onNewer={onNewer}
          onOlder={next === null ? undefined : () => older(next)}
        />
      ) : (
        <div className={styles['more']}>
          <Button isSmall kind="quiet" onClick={() => change({ all: 'true' })}>
            {text.showAll}
          </Button>
        </div>
      )}
    </Card>
  )
}
