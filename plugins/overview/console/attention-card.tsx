import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Summary } from '#schemas/api/overview.ts'
import type { TenantUsage } from '#schemas/api/tenants.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useReachable } from '#ui/contract/reachable.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { toClock } from '#ui/parts/format/times.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { toneClass } from '#ui/parts/status/tones.ts'
import { Time } from '#ui/parts/value/time.tsx'
import { attentionOf, noteQuiet, seesNothing, unnamedOf, urgentFirst } from './attention.ts'
import type { AttentionRow } from './attention.ts'
import { budgetRows } from './budget-rows.ts'
import styles from './home.module.css'
import { homeText } from './text.ts'

const { attention: text } = homeText

/** What needs a person, with the button that leads to it; one calm line if nothing does. */
export function AttentionCard({ query }: { readonly query: ReturnType<typeof summaryQuery> }) {
  const { data, error, dataUpdatedAt, refetch } = useQuery(query)
  const isReachable = useReachable()
  // Who may not list tenants sees no budget. The page of spend asks for the same.
  const usage = useQuery({ ...usageQuery, enabled: isReachable('/tenants') })
  if (data === undefined && error !== null)
    return (
      <Card title={text.title}>
        <ProblemState error={error} onRetry={() => refetch().catch(() => undefined)} />
      </Card>
    )
  if (data === undefined) return <Waiting />
  const rows = urgentFirst([...attentionOf(data), ...budgetRows(usage.data?.items ?? [])])
  const quietSince = noteQuiet(rows.length === 0, dataUpdatedAt)
  if (rows.length === 0) return <Quiet summary={data} since={quietSince} />
  const unnamed = unnamedOf(data)
  return (
    <Card title={text.title} action={<span className="num faint">{rows.length + unnamed}</span>} isFlush>
      <ul>
        {rows.map((row) => (
          <Row key={row.id} row={row} isLink={isReachable(row.to)} />
        ))}
      </ul>
      {unnamed === 0 ? undefined : <p className={`faint ${styles['unnamed']}`}>{text.more(unnamed)}</p>}
    </Card>
  )
}

const usageQuery = apiQuery<{ readonly items: readonly TenantUsage[] }>(['tenants', 'usage'], { limit: 200 })

/** The summary of a scope. */
export function summaryQuery(scope: { readonly namespace?: string; readonly scope?: string }) {
  return apiQuery<Summary>(['summary'], scope)
}

interface RowProps {
  readonly row: AttentionRow
  /** Whether there is a page that answers. */
  readonly isLink: boolean
}

function Row({ row: { icon, tone, title, why, since, act, to }, isLink }: RowProps) {
  const [path = '', search = ''] = to.split('?')
  return (
    <li className={styles['row']}>
      <span className={`${styles['mark']} ${toneClass(tone)}`}>
        <Icon name={icon} size={15} stroke={2} />
      </span>
      <div className={`grow ${styles['words']}`}>
        {isLink ? (
          <Link
            to={path}
            search={Object.fromEntries(new URLSearchParams(search)) as never}
            className={styles['title']}
            dir="auto"
          >
            {title}
          </Link>
        ) : (
          <div className={styles['title']} dir="auto">
            {title}
          </div>
        )}
        <div className="dim" dir="auto">
          {why}
        </div>
      </div>
      {since === null ? undefined : (
        <span className={styles['since']}>
          <Time at={since} />
        </span>
      )}
      <span className={styles['act']}>{isLink ? <ButtonLink to={to}>{act}</ButtonLink> : undefined}</span>
    </li>
  )
}

function Quiet({ summary, since }: { readonly summary: Summary; readonly since: number }) {
  const isBlind = seesNothing(summary)
  return (
    <Card>
      <div className={styles['quiet']}>
        <span className={`${styles['mark']} ${toneClass(isBlind ? 'mute' : 'ok')}`}>
          <Icon name={isBlind ? 'lock' : 'check'} size={15} stroke={2} />
        </span>
        <div>
          <h2>{isBlind ? text.title : text.quiet(`${toClock(new Date(since).toISOString()).slice(0, 5)} UTC`)}</h2>
          <p className="dim">{isBlind ? text.nothingSeen : text.quietDetail}</p>
        </div>
      </div>
    </Card>
  )
}

function Waiting() {
  return (
    <Card>
      <div className={styles['quiet']} aria-busy>
        <span className={styles['bone']} />
      </div>
    </Card>
  )
}
