import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEvent } from '#schemas/api/audit.ts'
import type { SearchValues } from '#ui/contract/search.ts'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Dock, DockBody, DockFacts } from '#ui/parts/page/split.tsx'
import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './audit.module.css'
import { auditText } from './text.ts'

const text = auditText.entry

interface AuditEntryProps {
  /** Undefined if the entry is not among the rows. */
  readonly row: AuditEvent | undefined
  readonly isRead: boolean
  readonly onFilter: (changes: SearchValues) => void
  readonly onClose: () => void
}

/** An entry of the log, docked beside it. */
export function AuditEntry({ row, isRead, onFilter, onClose }: AuditEntryProps) {
  if (row === undefined)
    return isRead ? (
      <Dock title={text.other} onClose={onClose}>
        <DockBody>
          <p className="dim">{text.otherDetail}</p>
        </DockBody>
      </Dock>
    ) : undefined
  const { outcome, action, actor, detail, namespace, resource_kind: kind } = row
  const place = namespace === '' ? text.wholeCluster : text.inNamespace(namespace)
  return (
    <Dock title={text.title(action, kind)} lead={<StatusBadge state={outcome} />} onClose={onClose}>
      <DockFacts facts={factsOf(row)} />
      <DockBody>
        <div className={styles['notices']}>
          {outcome === 'denied' ? (
            <Notice tone="warn" title={text.deniedTitle}>
              {text.denied(actor, action, kind, place)}
            </Notice>
          ) : undefined}
          {row.actor_exact ? undefined : (
            <Notice tone="mute" title={text.guessTitle}>
              {text.guessDetail}
            </Notice>
          )}
        </div>
        <h3 className={styles['title']}>{text.detail}</h3>
        <JsonView value={detail} label={text.detail} />
        <Narrow row={row} onFilter={onFilter} />
      </DockBody>
    </Dock>
  )
}

function factsOf(row: AuditEvent): readonly (readonly [string, ReactNode])[] {
  const { id, occurred_at: at, actor, actor_exact: isExact, namespace, source, trace_id: trace } = row
  return [
    [
      text.when,
      <>
        <Time at={at} isExact /> (<Time at={at} />)
      </>,
    ],
    [
      text.actor,
      <>
        <Actor name={actor} isGuess={!isExact} /> {isExact ? <Tag tone="ok">{text.exact}</Tag> : undefined}
      </>,
    ],
    [
      text.resource,
      <>
        {row.resource_kind} <b dir="auto">{row.resource_name}</b>
      </>,
    ],
    [text.namespace, namespace === '' ? <span className="faint">{text.clusterWide}</span> : namespace],
    [text.source, source],
    [text.id, <IdCopy id={id} />],
    ...(trace === null
      ? []
      : [
          [
            text.trace,
            <Link to={`/traces/${encodeURIComponent(trace)}`} className="link mono" data-tip={text.openTrace}>
              {trace.slice(0, 16)}…
            </Link>,
          ] as const,
        ]),
  ]
}

interface NarrowProps {
  readonly row: AuditEvent
  readonly onFilter: (changes: SearchValues) => void
}

/** The same list, of what the entry has. */
function Narrow({ row, onFilter }: NarrowProps) {
  const { actor, namespace, resource_kind: kind, resource_name: name, trace_id: trace } = row
  return (
    <div className={styles['narrow']}>
      <Button isSmall onClick={() => onFilter({ actor })}>
        {text.only.actor}
      </Button>
      <Button
        isSmall
        onClick={() => onFilter({ kind, resource_name: name, ...(namespace === '' ? {} : { namespace }) })}
      >
        {text.only.object}
      </Button>
      {trace === null ? undefined : (
        <Button isSmall onClick={() => onFilter({ trace_id: trace })}>
          {text.only.trace}
        </Button>
      )}
    </div>
  )
}
