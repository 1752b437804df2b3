import type { FocusEvent } from 'react'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { toClock, toDay, toExact } from '#ui/parts/format/times.ts'
import { toShortId } from '#ui/parts/format/names.ts'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { Split } from '#ui/parts/page/split.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { filterNames } from './audit-rows.ts'
import styles from './audit.module.css'
import { ExportMenu } from './export-menu.tsx'
import { auditText as text } from './text.ts'
import { useAudit } from './use-audit.ts'

/** Who did what, and whether it was allowed. */
export function AuditPage() {
  const { page, error, retry, query } = useAudit()
  const [search, change] = useAddress()
  const { onNewer, older } = usePaging()
  const rows = page?.items
  const next = page?.nextCursor ?? null
  const { item } = search
  const open = ({ id }: AuditEvent): void => change({ item: id }, item === undefined ? 'push' : 'replace')
  const clear = (): void => change(Object.fromEntries(['cursor', ...filterNames].map((name) => [name, undefined])))
  const isFiltered = filterNames.some((name) => search[name] !== undefined)
  // Arrows in the list move the entry that is docked.
  const follow = ({ target }: FocusEvent): void => {
    const row = target instanceof HTMLTableRowElement ? rows?.[Number(target.dataset['index'])] : undefined
    if (item !== undefined && row !== undefined && row.id !== item) open(row)
  }
  return (
    <>
      <PageBar title={text.title}>
        <ExportMenu query={query} />
      </PageBar>
      <AuditFilters rows={rows ?? []} onClear={clear} />
      <Split
        dock={
          item === undefined ? undefined : (
            <AuditEntry
              row={rows?.find(({ id }) => id === item)}
              isRead={rows !== undefined}
              onFilter={(changes) => change({ ...changes, item: undefined, cursor: undefined })}
              onClose={() => change({ item: undefined })}
            />
          )
        }
      >
        <div className={styles['list']} onFocus={follow}>
          <DataTable
            label={text.log}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            error={error}
            onRetry={retry}
            onOpen={open}
            selected={item === undefined ? undefined : new Set([item])}
            empty={isFiltered ? <NoMatch onClear={clear} /> : <NothingRecorded />}
          />
        </div>
        <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
      </Split>
    </>
  )
}

const { columns: titles } = text
const columns: readonly DataColumn<AuditEvent>[] = [
  {
    title: titles.time,
    cell: ({ occurred_at: at }) => (
      <time className="num" dateTime={at} data-tip={toExact(at)}>
        <span className={`faint ${styles['day']}`}>{toDay(at)} </span>
        {toClock(at)}
      </time>
    ),
  },
  { title: titles.outcome, cell: ({ outcome }) => <StatusBadge state={outcome} /> },
  {
    title: titles.actor,
    isWide: true,
    cell: ({ actor, actor_exact: isExact, action, resource_kind: kind, resource_name: name }) => (
      <>
        <Actor name={actor} isGuess={!isExact} />
        <span className={styles['what']} dir="auto">
          {text.what(action, kind, name)}
        </span>
      </>
    ),
  },
  {
    title: titles.action,
    rank: 2,
    cell: ({ action }) => (
      <span className={`mono ${styles['word']}`} dir="auto">
        {action}
      </span>
    ),
  },
  { title: titles.resource, rank: 2, cell: (row) => <Resource row={row} /> },
  {
    title: titles.namespace,
    rank: 3,
    cell: ({ namespace }) => (
      <span className={`dim ${styles['word']}`} dir="auto">
        {namespace || '—'}
      </span>
    ),
  },
  { title: titles.source, rank: 4, cell: ({ source }) => <span className="dim">{source}</span> },
  {
    title: titles.trace,
    rank: 4,
    cell: ({ trace_id: id }) => <span className="mono faint">{id === null ? '—' : toShortId(id)}</span>,
  },
]

function Resource({ row: { resource_kind: kind, resource_name: name } }: { readonly row: AuditEvent }) {
  return (
    <span className={styles['resource']}>
      <span className="faint">{kind}</span> <b dir="auto">{name}</b>
    </span>
  )
}

function NothingRecorded() {
  return (
    <EmptyState icon="audit" title={text.empty}>
      {text.emptyDetail}
    </EmptyState>
  )
}
