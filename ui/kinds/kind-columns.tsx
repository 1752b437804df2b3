import { Link } from '@tanstack/react-router'
import { StatusBadge } from '../parts/status/status-badge.tsx'
import type { DataColumn } from '../parts/table/data-column.ts'
import { Time } from '../parts/value/time.tsx'
import { kindText as text } from '../text/kinds.ts'
import { objectPath } from './kind-entry.ts'
import type { KindColumn, KindEntry, KindParts } from './kind-entry.ts'
import { readyOf, toCell, valueAt } from './kind-object.ts'
import type { KindObject } from './kind-object.ts'
import { firstColumns } from './served-kind.ts'
import type { ServedKind } from './served-kind.ts'

/** The columns of a list: name, namespace, state, those of the plugin or of the entry, age. */
export function listColumns(
  entry: KindEntry,
  served: ServedKind | undefined,
  { columns }: Pick<KindParts, 'columns'>,
): readonly DataColumn<KindObject>[] {
  const own = columns ?? (entry.columns ?? (served === undefined ? [] : firstColumns(served))).map(toColumn)
  return [
    { title: text.name, isWide: own.length === 0, cell: (object) => <NameCell entry={entry} object={object} /> },
    ...(entry.isClusterWide === true
      ? []
      : [{ title: text.namespace, rank: 3 as const, cell: ({ metadata }: KindObject) => metadata.namespace ?? '—' }]),
    { title: text.state, cell: (object) => <StateCell object={object} /> },
    ...own,
    {
      title: text.age,
      align: 'end',
      rank: 2,
      cell: ({ metadata }) => <Time at={metadata.creationTimestamp ?? null} />,
    },
  ]
}

function toColumn({ title, field, align }: KindColumn, index: number): DataColumn<KindObject> {
  return {
    title,
    rank: index === 0 ? 2 : 3,
    ...(align === undefined ? { isWide: index === 0 } : { align }),
    cell: (object) => <span dir="auto">{toCell(valueAt(object, field))}</span>,
  }
}

function NameCell({ entry, object: { metadata } }: { readonly entry: KindEntry; readonly object: KindObject }) {
  return (
    <Link to={objectPath(entry, metadata)} dir="auto" className="clip" tabIndex={-1}>
      <b>{metadata.name}</b>
    </Link>
  )
}

function StateCell({ object }: { readonly object: KindObject }) {
  const ready = readyOf(object)
  if (ready === undefined) return '—'
  return (
    <StatusBadge state={ready.state} isPlain>
      {ready.state === 'ready' ? undefined : ready.reason}
    </StatusBadge>
  )
}
