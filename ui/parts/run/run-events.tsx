import { text } from '../../text/en.ts'
import { JsonView } from '../content/json-view.tsx'
import { toExact } from '../format/times.ts'
import { Dock, DockBody } from '../page/split.tsx'
import { EmptyState } from '../state/empty-state.tsx'
import type { DataColumn } from '../table/data-column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { JournalEvent } from './journal-event.ts'
import styles from './run.module.css'

/** Characters of the data that a row shows. */
const SHORT = 200

const columns: readonly DataColumn<JournalEvent>[] = [
  { title: text.run.columns.seq, align: 'end', cell: ({ seq }) => <span className="faint">{seq}</span> },
  {
    title: text.run.columns.time,
    rank: 2,
    cell: ({ ts }) => <span className="num dim">{toExact(ts).slice(11, 23)}</span>,
  },
  { title: text.run.columns.event, cell: ({ kind }) => <span className="mono">{kind}</span> },
  { title: text.run.columns.agent, rank: 3, cell: ({ agent }) => <span dir="auto">{agent}</span> },
  {
    title: text.run.columns.data,
    isWide: true,
    cell: ({ data }) => <span className="mono faint">{shorten(data)}</span>,
  },
]

interface RunEventsProps {
  /** Undefined until the first ones have been read. */
  readonly events: readonly JournalEvent[] | undefined
  readonly error: Error | undefined
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  readonly onRetry?: () => void
}

/** The journal of a run, oldest entry first. */
export function RunEvents({ events, error, selected, onSelect, onRetry }: RunEventsProps) {
  return (
    <div className={styles['events']}>
      <DataTable
        label={text.run.views.events}
        columns={columns}
        rows={events}
        keyOf={({ seq }) => String(seq)}
        error={error ?? null}
        {...(onRetry === undefined ? {} : { onRetry })}
        onOpen={({ seq }) => onSelect(seq)}
        selected={selected === undefined ? undefined : new Set([String(selected)])}
        empty={
          <EmptyState icon="list" title={text.run.noEvents}>
            {text.run.noEventsDetail}
          </EmptyState>
        }
      />
    </div>
  )
}

/** An entry as it is. */
export function EventDock({ event, onClose }: { readonly event: JournalEvent; readonly onClose: () => void }) {
  return (
    <Dock title={event.kind} onClose={onClose}>
      <DockBody>
        <JsonView label={event.kind} value={event} />
      </DockBody>
    </Dock>
  )
}

function shorten(data: JournalEvent['data']): string {
  const words = Object.entries(data).map(([name, value]) => `${name}=${wordOf(value)}`)
  return words.join(' ').slice(0, SHORT)
}

// Long texts are cut before they are written as JSON.
function wordOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHORT))
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? `[${value.length}]` : '{…}'
}
