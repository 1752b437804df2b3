import { lazy, Suspense, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { Static } from 'typebox'
import type { SharedRun } from '#schemas/api/sharing.ts'
import { useAddress } from '#ui/contract/search.ts'
import type { JournalEvent } from '#ui/parts/run/journal-event.ts'
import { NodeInspector } from '#ui/parts/run/node-inspector.tsx'
import { nodesById } from '#ui/parts/run/run-node.ts'
import type { RunNode } from '#ui/parts/run/run-node.ts'
import { RunViews } from '#ui/parts/run/run-views.tsx'
import { messagesOf } from '#ui/parts/run/shown-messages.ts'
import { flattenTree } from '#ui/parts/trace/flat-tree.ts'

const RunMessages = lazy(async () => ({ default: (await import('#ui/parts/run/run-messages.tsx')).RunMessages }))
const RunEvents = lazy(async () => ({ default: (await import('#ui/parts/run/run-events.tsx')).RunEvents }))
const EventDock = lazy(async () => ({ default: (await import('#ui/parts/run/run-events.tsx')).EventDock }))

/** A run as it was when it was shared. */
export type RunOfLink = Omit<Static<typeof SharedRun>, 'tree'> & { readonly tree: { readonly root: RunNode } }

/** The steps of a shared run, in the views of a run. */
export function SharedTrace({ shared }: { readonly shared: RunOfLink }) {
  const [{ view, span: spanId }, change] = useAddress()
  const [seq, setSeq] = useState<number>()
  const { run, tree } = shared
  const { spans, nodes } = useMemo(() => ({ spans: flattenTree(tree.root), nodes: nodesById(tree.root) }), [tree])
  const events = useMemo(
    () => shared.events.map((event, at) => ({ ...event, seq: event.seq ?? at }) as JournalEvent),
    [shared],
  )
  const messages = useMemo(() => messagesOf(tree.root, run), [tree, run])
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
        hasChildLink={false}
        onClose={onClose}
      />
    )
  }
  return (
    <RunViews
      spans={spans}
      view={view}
      spanId={spanId}
      onChange={change}
      inspect={inspect}
      messages={<RunMessages messages={messages} hasChildLinks={false} />}
      events={<RunEvents events={events} error={undefined} selected={seq} onSelect={setSeq} />}
    />
  )
}
