import { Link } from '@tanstack/react-router'
import type { TopologyEdge } from '#schemas/api/topology.ts'
import { toCount } from '#ui/parts/format/counts.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Dock, DockBody, DockFacts } from '#ui/parts/page/split.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Count, Duration, Money } from '#ui/parts/value/numbers.tsx'
import { topologyText } from './text.ts'
import { objectPath } from './topology-view.ts'
import type { TopologyView } from './topology-view.ts'
import styles from './topology.module.css'

const text = topologyText.item

interface ObjectDockProps {
  readonly topology: TopologyView
  readonly id: string
  readonly onPick: (id: string | undefined) => void
}

/** An object of the graph: its state, its runs, and what it is connected to. */
export function ObjectDock({ topology: { nodes, edges }, id, onPick }: ObjectDockProps) {
  const node = nodes.find((one) => one.id === id)
  const close = (): void => onPick(undefined)
  if (node === undefined)
    return (
      <Dock title={text.other} onClose={close}>
        <DockBody>
          <p className="dim">{text.otherDetail}</p>
        </DockBody>
      </Dock>
    )
  const { kind, namespace, name, phase, metrics } = node
  const path = objectPath(node)
  return (
    <Dock title={name} lead={<StatusBadge state={phase} />} onClose={close}>
      <DockFacts
        facts={[
          [text.kind, kind],
          [text.namespace, namespace],
          ...(metrics === undefined
            ? []
            : ([
                [text.runs, <Count value={metrics.runs1h} />],
                [text.failed, <Count value={metrics.failed1h} />],
                [text.cost, <Money amount={metrics.cost24h?.amount} currency={metrics.cost24h?.currency ?? ''} />],
              ] as const)),
        ]}
      />
      <DockBody>
        {phase === 'missing' ? (
          <Notice tone="bad" title={text.missing}>
            {text.missingDetail}
          </Notice>
        ) : undefined}
        <References title={text.out} edges={edges.filter(({ from }) => from.id === id)} end="to" onPick={onPick} />
        <References title={text.in} edges={edges.filter(({ to }) => to.id === id)} end="from" onPick={onPick} />
        {path === undefined || phase === 'missing' ? undefined : (
          <Link to={path} className={`link ${styles['open']}`}>
            {text.open} {name}
          </Link>
        )}
      </DockBody>
    </Dock>
  )
}

interface ReferencesProps {
  readonly title: string
  readonly edges: readonly TopologyEdge[]
  readonly end: 'from' | 'to'
  readonly onPick: (id: string) => void
}

function References({ title, edges, end, onPick }: ReferencesProps) {
  return (
    <>
      <h3 className={styles['title']}>{title}</h3>
      {edges.length === 0 ? <p className="faint">{text.none}</p> : undefined}
      <ul className={styles['references']}>
        {edges.map((edge) => (
          <li key={`${edge[end].id} ${edge.kind} ${edge.field}`}>
            <button type="button" onClick={() => onPick(edge[end].id)}>
              <span className="clip" dir="auto">
                {edge[end].name}
              </span>
              <span className="faint clip grow">{edge.field}</span>
              {edge.count1h === undefined ? undefined : (
                <span className="num faint">
                  {toCount(edge.count1h)} <Duration ms={edge.p95Ms} />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
