import type { TopologyEdge, TopologyNode } from '#schemas/api/topology.ts'
import { NoMatch } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Count, Duration } from '#ui/parts/value/numbers.tsx'
import styles from './topology.module.css'
import { topologyText as text } from './text.ts'
import { tableRowsOf } from './topology-view.ts'
import type { TopologyRow } from './topology-view.ts'

interface TopologyTableProps {
  readonly nodes: readonly TopologyNode[]
  readonly edges: readonly TopologyEdge[]
  readonly picked: string | undefined
  readonly onPick: (id: string) => void
}

/** The lines of the graph as rows, and the objects without one. */
export function TopologyTable({ nodes, edges, picked, onPick }: TopologyTableProps) {
  const rows = tableRowsOf(nodes, edges)
  const selected = rows.filter(({ from }) => from.id === picked).map(({ key }) => key)
  return (
    <DataTable
      label={text.tableLabel}
      columns={columns}
      rows={rows}
      keyOf={({ key }) => key}
      onOpen={({ from }) => onPick(from.id)}
      selected={picked === undefined ? undefined : new Set(selected)}
      empty={<NoMatch onClear={() => undefined} />}
    />
  )
}

const { columns: titles } = text
const columns: readonly DataColumn<TopologyRow>[] = [
  {
    title: titles.from,
    isWide: true,
    cell: ({ from }) => (
      <span className={styles['object']}>
        <StatusBadge state={from.phase} isPlain>
          <span className="unseen">{from.phase}</span>
        </StatusBadge>
        <ObjectName {...from} />
      </span>
    ),
  },
  { title: titles.kind, rank: 2, cell: ({ edge }) => (edge === undefined ? '—' : text.edgeKinds[edge.kind]) },
  { title: titles.to, cell: ({ edge }) => (edge === undefined ? '—' : <ObjectName {...edge.to} />) },
  { title: titles.calls, align: 'end', rank: 3, cell: ({ edge }) => <Count value={edge?.count1h} /> },
  {
    title: titles.failed,
    align: 'end',
    cell: ({ edge }) => <Count value={edge?.failed1h} />,
  },
  { title: titles.p95, align: 'end', rank: 3, cell: ({ edge }) => <Duration ms={edge?.p95Ms} /> },
]

function ObjectName({ kind, name }: Pick<TopologyNode, 'kind' | 'name'>) {
  return (
    <span className={styles['name']}>
      <b dir="auto">{name}</b> <span className="faint">{kind}</span>
    </span>
  )
}
