import { Link } from '@tanstack/react-router'
import { OutcomeBars } from '#ui/parts/figure/outcome-bars.tsx'
import { toCount, toPercent } from '#ui/parts/format/counts.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import { Duration, Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { agentAddress, healthOf, servedRevisionOf, successOf } from '../shared/shown-agent.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'
import styles from './list.module.css'
import { agentListText as text } from './text.ts'

const { columns: titles } = text

/** Columns of the list of agents. */
export const agentColumns: readonly DataColumn<ShownAgent>[] = [
  { title: titles.agent, cell: ({ metadata }) => <NameCell {...metadata} /> },
  { title: titles.status, cell: (agent) => <StatusCell agent={agent} /> },
  { title: titles.route, rank: 3, cell: ({ spec }) => <RouteCell route={spec?.model?.route} /> },
  { title: titles.runs, rank: 2, cell: ({ stats }) => <RunsCell stats={stats} /> },
  { title: titles.success, rank: 2, align: 'end', cell: ({ stats }) => toPercent(successOf(stats), 1) },
  { title: titles.p95, rank: 3, align: 'end', cell: ({ stats }) => <Duration ms={stats?.p95Ms} /> },
  { title: titles.cost, rank: 3, align: 'end', cell: ({ stats }) => <CostCell stats={stats} /> },
  { title: titles.score, rank: 3, align: 'end', cell: ({ status }) => <ScoreCell gate={status?.evalGate} /> },
  { title: titles.revision, rank: 4, align: 'end', cell: (agent) => servedRevisionOf(agent) ?? UNKNOWN },
  { title: titles.rolledOut, rank: 4, align: 'end', cell: ({ status }) => <Time at={status?.latestSuccessfulTime} /> },
]

function NameCell({ name, namespace = '' }: { readonly name: string; readonly namespace?: string }) {
  return (
    <span className={styles['agent']}>
      <Glyph name={name} size={24} />
      <span className={styles['two']}>
        <Link to={agentAddress({ namespace, name })} className={`clip ${styles['name']}`} dir="auto">
          {name}
        </Link>
        <span className="clip faint" dir="auto">
          {namespace}
        </span>
      </span>
    </span>
  )
}

function StatusCell({ agent }: { readonly agent: ShownAgent }) {
  const { state, reason, message } = healthOf(agent)
  return (
    <span className="row">
      <StatusBadge state={state} />
      {reason === undefined ? undefined : (
        <span className={`clip dim ${styles['reason']}`} dir="auto" data-tip={message}>
          {reason}
        </span>
      )}
    </span>
  )
}

function RouteCell({ route = UNKNOWN }: { readonly route: string | undefined }) {
  return (
    <span className={`clip ${styles['route']}`} dir="auto">
      {route}
    </span>
  )
}

interface StatisticsCellProps {
  /** Absent if the caller may not list runs. */
  readonly stats: ShownAgent['stats'] | undefined
}

function RunsCell({ stats }: StatisticsCellProps) {
  if (stats === undefined) return UNKNOWN
  const { bins, runs, failed } = stats
  return (
    <span className="row">
      <OutcomeBars bins={bins} label={text.runs(runs, failed)} />
      <span className="num dim">{toCount(runs)}</span>
    </span>
  )
}

function CostCell({ stats }: StatisticsCellProps) {
  return <Money amount={stats?.cost?.amount} currency={stats?.cost?.currency ?? ''} />
}

/** The score of the newest revision by the suite of its gate. */
function ScoreCell({ gate }: { readonly gate: NonNullable<ShownAgent['status']>['evalGate'] }) {
  if (gate?.score === undefined) return UNKNOWN
  const isBelow = gate.minScore !== undefined && gate.score < gate.minScore
  return <span className={`num ${isBelow ? styles['below'] : ''}`}>{gate.score.toFixed(2)}</span>
}
