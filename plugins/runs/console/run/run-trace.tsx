import { lazy, Suspense, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { TabObject } from '#ui/contract/page.ts'
import { useObjectTabs } from '#ui/kinds/object-tabs/object-tabs.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { NodeInspector } from '#ui/parts/run/node-inspector.tsx'
import { RunViews } from '#ui/parts/run/run-views.tsx'
import { messagesOf } from '#ui/parts/run/shown-messages.ts'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { useNow } from '#ui/parts/value/clock.ts'
import styles from './run-page.module.css'
import { elapsedOf } from './run-state.ts'
import type { RunOfPage } from './run-state.ts'
import { runText as text } from './text.ts'
import type { useRun } from './use-run.ts'

const RunMessages = lazy(async () => ({ default: (await import('#ui/parts/run/run-messages.tsx')).RunMessages }))
const RunEvents = lazy(async () => ({ default: (await import('#ui/parts/run/run-events.tsx')).RunEvents }))
const EventDock = lazy(async () => ({ default: (await import('#ui/parts/run/run-events.tsx')).EventDock }))

interface RunTraceProps {
  readonly run: RunOfPage
  readonly data: ReturnType<typeof useRun>
  readonly view: string | undefined
  readonly spanId: string | undefined
  readonly onChange: (changes: { readonly view?: string | undefined; readonly span?: string | undefined }) => void
  /** Asks for the events of the run. */
  readonly onEvents: () => void
}

/** The steps of a run, in four views. */
export function RunTrace({ run, data, view, spanId, onChange, onEvents }: RunTraceProps) {
  const { tree, flat, stream, loadMore } = data
  const now = useNow()
  const tabs = useObjectTabs('run')
  const retry = (): void => {
    tree.refetch().catch(() => undefined)
  }
  const [seq, setSeq] = useState<number>()
  const { texts, events, isCut } = stream.log
  const root = tree.data?.root
  const messages = useMemo(
    () => (root === undefined || view !== 'messages' ? [] : messagesOf(root, run, texts)),
    [root, run, texts, view],
  )
  if (tree.data === undefined || flat === undefined)
    return tree.error === null ? undefined : <ProblemState error={tree.error} onRetry={retry} />
  const { spans, nodes } = flat
  const { nextAfter, spanCount } = tree.data
  const event = view === 'events' ? events.find((one) => one.seq === seq) : undefined
  const inspect = (place: number, onClose: () => void): ReactNode => {
    if (event !== undefined)
      return (
        <Suspense>
          <EventDock event={event} onClose={() => setSeq(undefined)} />
        </Suspense>
      )
    const span = spans[place]
    const node = nodes.get(span?.id ?? '')
    if (span === undefined || node === undefined) return undefined
    return (
      <NodeInspector
        span={span}
        parent={spans[span.parent]}
        node={node}
        run={run}
        events={events.filter((one) => one.spanId === span.id)}
        onEvents={onEvents}
        onClose={onClose}
      />
    )
  }
  return (
    <>
      {tree.error === null ? undefined : <Strip words={tree.error.message} />}
      {isCut && view === 'events' ? <Strip words={text.eventsCut} /> : undefined}
      <RunViews
        spans={spans}
        view={view}
        spanId={spanId}
        onChange={onChange}
        inspect={inspect}
        added={tabs.map(({ id, title, Panel }) => ({ id, title, content: <Panel object={objectOf(run)} /> }))}
        elapsed={elapsedOf(run, now)}
        more={nextAfter === null ? undefined : { words: text.more(spans.length, spanCount), onLoad: loadMore }}
        messages={<RunMessages messages={messages} onCall={(id) => onChange({ view: undefined, span: id })} />}
        events={
          <RunEvents
            events={events.length === 0 && stream.connection !== 'ended' ? undefined : events}
            error={stream.error}
            selected={seq}
            onSelect={setSeq}
          />
        }
      />
    </>
  )
}

function Strip({ words }: { readonly words: string }) {
  return (
    <div className={styles['strip']}>
      <Notice tone="warn">{words}</Notice>
    </div>
  )
}

function objectOf({ id, agent }: RunOfPage): TabObject {
  return { id, namespace: agent?.namespace, name: agent?.name }
}
