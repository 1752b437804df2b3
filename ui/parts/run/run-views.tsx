import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Segmented } from '../control/segmented.tsx'
import type { SegmentOption } from '../control/segmented.tsx'
import { Split } from '../page/split.tsx'
import { useNarrow } from '../page/use-narrow.ts'
import type { TraceSpan } from '../trace/flat-tree.ts'
import { selectAtFirst } from '../trace/span-keys.ts'
import styles from './run.module.css'

// Asked for with this module, so that it is there when the spans are.
const loadWaterfall = import('../trace/waterfall.tsx')
const Waterfall = lazy(async () => ({ default: (await loadWaterfall).Waterfall }))
const Flame = lazy(async () => ({ default: (await import('../trace/flame.tsx')).Flame }))

/** A view of a run, by its name in the address. */
export type RunView = 'waterfall' | 'flame' | 'messages' | 'events'

const all: readonly SegmentOption<RunView>[] = [
  { value: 'waterfall', label: text.run.views.waterfall, icon: 'bars' },
  { value: 'flame', label: text.run.views.flame, icon: 'flame' },
  { value: 'messages', label: text.run.views.messages, icon: 'message' },
  { value: 'events', label: text.run.views.events, icon: 'list' },
]

/** A view that a page adds. */
export interface AddedView {
  readonly id: string
  readonly title: string
  readonly content: ReactNode
}

interface RunViewsProps {
  readonly spans: readonly TraceSpan[]
  /** `view` and `span` of the address. */
  readonly view: string | undefined
  readonly spanId: string | undefined
  readonly onChange: (changes: { readonly view?: string | undefined; readonly span?: string | undefined }) => void
  /** What the views show that are no graph; a view without content is not offered. */
  readonly messages?: ReactNode
  readonly events?: ReactNode
  /** Further views, which have no inspector. */
  readonly added?: readonly AddedView[]
  /** The inspector of a span. */
  readonly inspect: (place: number, onClose: () => void) => ReactNode
  readonly elapsed?: number
  readonly more?: { readonly words: string; readonly onLoad: () => void } | undefined
}

/** A trace as a waterfall, a flame graph, messages or events, with an inspector of the selected span. */
export function RunViews(props: RunViewsProps) {
  const { spans, spanId, onChange, messages, events, added = [], inspect, elapsed = 0, more } = props
  const isNarrow = useNarrow()
  // On a phone the inspector covers the spans, so that it opens only for one that was chosen.
  const [isClosed, setClosed] = useState(isNarrow && spanId === undefined)
  const given = { waterfall: true, flame: true, messages: messages !== undefined, events: events !== undefined }
  const options: readonly SegmentOption<string>[] = [
    ...all.filter(({ value }) => given[value]),
    ...added.map(({ id, title }) => ({ value: id, label: title })),
  ]
  const view = options.find(({ value }) => value === props.view)?.value ?? 'waterfall'
  const own = added.find(({ id }) => id === view)
  const found = spanId === undefined ? -1 : spans.findIndex(({ id }) => id === spanId)
  const selected = found === -1 ? selectAtFirst(spans) : found
  const select = (place: number): void => {
    setClosed(false)
    onChange({ span: spans[place]?.id })
  }
  const shared = { spans, selected, onSelect: select, elapsed }
  return (
    <Split dock={isClosed || own !== undefined ? undefined : inspect(selected, () => setClosed(true))}>
      <div className={styles['views']}>
        <Segmented
          label={text.run.view}
          value={view}
          options={options}
          onChange={(value) => onChange({ view: value === 'waterfall' ? undefined : value })}
        />
      </div>
      <Suspense>
        {view === 'waterfall' ? <Waterfall {...shared} {...(more === undefined ? {} : { more })} /> : undefined}
        {view === 'flame' ? <Flame {...shared} /> : undefined}
        {view === 'messages' ? messages : undefined}
        {view === 'events' ? events : undefined}
        {own?.content}
      </Suspense>
    </Split>
  )
}
