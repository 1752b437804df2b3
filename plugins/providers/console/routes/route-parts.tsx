import type { KindParts } from '#ui/kinds/kind-entry.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { DockFacts } from '#ui/parts/page/split.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { CircuitTag } from './circuit-state.tsx'
import { RoutePath } from './route-path.tsx'
import { toRoutePlan } from './route-plan.ts'
import type { DrawnCircuit } from './route-plan.ts'
import { rulesOf } from './route-rules.ts'
import styles from './routes.module.css'
import { routesText as text } from './text.ts'
import { UsedByCard } from './used-by-card.tsx'

function CallsCell({ object }: { readonly object: KindObject }) {
  const { targets } = toRoutePlan(object)
  const [first] = targets
  if (first === undefined) return '—'
  const { provider, model } = first
  return (
    <span dir="auto">
      {targets.length > 1 ? text.several(provider, targets.length - 1) : provider}{' '}
      <span className="mono dim">{model}</span>
    </span>
  )
}

const worst: readonly DrawnCircuit[] = ['open', 'half-open', 'closed']

function CircuitCell({ object }: { readonly object: KindObject }) {
  const { targets, fallbacks } = toRoutePlan(object)
  const states = [...targets, ...fallbacks].map(({ circuit }) => circuit)
  return <CircuitTag circuit={worst.find((state) => states.includes(state)) ?? 'unknown'} />
}

function RouteOverview({ object }: { readonly object: KindObject }) {
  const rules = rulesOf(object.spec)
  return (
    <>
      <Card title={text.path.title}>
        <RoutePath object={object} />
      </Card>
      <div className={styles['pair']}>
        <Card title={text.rules.title}>
          {rules.length === 0 ? <p className="faint">{text.rules.none}</p> : <DockFacts facts={rules} />}
        </Card>
        <UsedByCard object={object} />
      </div>
    </>
  )
}

/** What the pages of model routes have besides those of every kind. */
export const routeParts: KindParts = {
  columns: [
    { title: text.columns.calls, isWide: true, rank: 2, cell: (object) => <CallsCell object={object} /> },
    {
      title: text.columns.fallbacks,
      rank: 3,
      align: 'end',
      cell: (object) => <Count value={toRoutePlan(object).fallbacks.length} />,
    },
    { title: text.columns.circuits, rank: 3, cell: (object) => <CircuitCell object={object} /> },
  ],
  Overview: RouteOverview,
}
