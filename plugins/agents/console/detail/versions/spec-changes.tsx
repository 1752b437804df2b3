import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Static } from 'typebox'
import type { AgentDiff } from '#schemas/api/agents.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { toneClass } from '#ui/parts/status/tones.ts'
import type { AgentPlace } from '../../shared/use-agent.ts'
import { toShownValue } from './shown-value.ts'
import { versionsText as text } from './text.ts'
import styles from './versions.module.css'

type ShownDiff = Static<typeof AgentDiff>

interface SpecChangesProps {
  readonly place: AgentPlace
  readonly from: number
  readonly to: number
  /** What can be done with the two. */
  readonly children?: ReactNode
}

/** What differs between two versions, by section of the spec. Versions never change, so that it is read once. */
export function SpecChanges({ place: { namespace, name }, from, to, children }: SpecChangesProps) {
  const { data, error, refetch } = useQuery({
    ...apiQuery<ShownDiff>(['agents', namespace, name, 'versions', 'diff'], { from: String(from), to: String(to) }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return (
    <section aria-label={text.compare(`r${from}`, `r${to}`)}>
      <div className={styles['head']}>
        <h2 className="num">{text.compare(`r${from}`, `r${to}`)}</h2>
        <span className="faint">{data === undefined ? '' : text.changes(data.patch.length)}</span>
        <span className="grow" />
        {children}
      </div>
      {data === undefined && error !== null ? <ProblemState error={error} onRetry={retry} /> : undefined}
      {data === undefined ? undefined : <ChangedSections sections={data.sections} />}
    </section>
  )
}

function ChangedSections({ sections }: Pick<ShownDiff, 'sections'>) {
  if (sections.length === 0) {
    return (
      <PageState icon="check" title={text.same}>
        {text.sameDetail}
      </PageState>
    )
  }
  return (
    <ul className={styles['sections']}>
      {sections.map(({ path, from, to }) => (
        <li key={path} className={styles['section']}>
          <h3 className="mono">{path}</h3>
          <div className={styles['sides']}>
            <ChangedValue label={text.before} value={from} tone="bad" />
            <ChangedValue label={text.after} value={to} tone="ok" />
          </div>
        </li>
      ))}
    </ul>
  )
}

interface ChangedValueProps {
  readonly label: string
  readonly value: unknown
  readonly tone: 'ok' | 'bad'
}

function ChangedValue({ label, value, tone }: ChangedValueProps) {
  return (
    <pre
      className={`mono ${styles['side']} ${toneClass(tone)}`}
      aria-label={label}
      role="group"
      tabIndex={0}
      dir="auto"
    >
      {value === undefined ? <span className="faint">{text.absent}</span> : toShownValue(value)}
    </pre>
  )
}
