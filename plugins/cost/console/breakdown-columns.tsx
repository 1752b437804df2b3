import { toPercent } from '#ui/parts/format/counts.ts'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { AgentName } from '#ui/parts/value/agent-name.tsx'
import { Count, Money } from '#ui/parts/value/numbers.tsx'
import { shareOf } from './cost-days.ts'
import type { CostDimension } from './cost-days.ts'
import styles from './cost.module.css'
import type { TableRowSums } from './group-sums.ts'
import { costText as text } from './text.ts'

/** The columns of a breakdown. */
export function breakdownColumns(
  dimensions: readonly CostDimension[],
  currency: string,
  total: string | undefined,
): readonly DataColumn<TableRowSums>[] {
  const { columns } = text
  return [
    ...dimensions.map((dimension, index) => ({
      title: text.groups[dimension],
      isWide: index === 0,
      rank: index === 0 ? (1 as const) : (2 as const),
      cell: (row: TableRowSums) => <GroupName row={row} dimension={dimension} index={index} />,
    })),
    { title: columns.share, rank: 3, cell: ({ amount }) => <Share share={shareOf(amount, total)} /> },
    { title: columns.cost, align: 'end', cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
    { title: columns.calls, align: 'end', rank: 2, cell: ({ calls }) => <Count value={calls} /> },
    { title: columns.tokens, align: 'end', rank: 3, cell: ({ tokens }) => <Count value={tokens} /> },
    {
      title: columns.perCall,
      align: 'end',
      rank: 3,
      cell: ({ amount, calls }) => <Money amount={perCall(amount, calls)} currency={currency} />,
    },
  ]
}

interface GroupNameProps {
  readonly row: TableRowSums
  readonly dimension: CostDimension
  readonly index: number
}

function GroupName({ row: { names, namespace }, dimension, index }: GroupNameProps) {
  const name = names[index]
  if (name === undefined) return <span className="dim">{text.others}</span>
  if (name === null) return <span className="dim">{dimension === 'agent' ? text.person : text.noName}</span>
  if (dimension !== 'agent') return <span dir="auto">{name}</span>
  return (
    <span className={styles['agent']}>
      <AgentName name={name} />
      <span className="faint">{namespace}</span>
    </span>
  )
}

function Share({ share }: { readonly share: number | undefined }) {
  return (
    <span className={styles['share']}>
      <span className={styles['track']}>
        <i style={{ width: `${Math.min(1, Math.max(0, share ?? 0)) * 100}%` }} />
      </span>
      <span className="num faint">{toPercent(share)}</span>
    </span>
  )
}

// For a column of sizes; sums stay decimal.
function perCall(amount: string | undefined, calls: number): string | undefined {
  return amount === undefined || calls === 0 ? undefined : (Number(amount) / calls).toFixed(12)
}
