import { useMemo } from 'react'
import { useAddress } from '#ui/contract/search.ts'
import { toCount } from '#ui/parts/format/counts.ts'
import { FactLine } from '#ui/parts/run/fact-line.tsx'
import { NodeInspector } from '#ui/parts/run/node-inspector.tsx'
import { nodesById } from '#ui/parts/run/run-node.ts'
import { RunViews } from '#ui/parts/run/run-views.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { flattenTree } from '#ui/parts/trace/flat-tree.ts'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { traceText as text } from './text.ts'
import { toTraceTree } from './to-node.ts'
import type { SentSpan } from './to-node.ts'

interface SentSpansProps {
  readonly detail: {
    readonly traceId: string
    readonly spans: number
    readonly link: string | null
    readonly roots: readonly SentSpan[]
  }
}

/** The spans of a trace as they were sent. */
export function SentSpans({ detail }: SentSpansProps) {
  const [{ view, span: spanId }, change] = useAddress()
  const { traceId, roots, link, spans: count } = detail
  const tree = useMemo(() => {
    const root = toTraceTree(roots, traceId)
    return root === undefined
      ? undefined
      : { spans: flattenTree(root), nodes: nodesById(root), events: eventsOf(roots) }
  }, [roots, traceId])
  if (tree === undefined)
    return (
      <EmptyState icon="bars" title={text.noSpans}>
        {text.noSpansDetail}
      </EmptyState>
    )
  const { spans, nodes, events } = tree
  return (
    <>
      <FactLine
        facts={[
          [text.trace, <IdCopy id={traceId} />],
          [text.spans, toCount(count)],
          [text.backend, link === null ? undefined : <BackendLink to={link} />],
        ]}
      />
      <RunViews
        spans={spans}
        view={view}
        spanId={spanId}
        onChange={change}
        inspect={(place, onClose) => {
          const span = spans[place]
          const node = nodes.get(span?.id ?? '')
          if (span === undefined || node === undefined) return undefined
          const parent = spans[span.parent]
          return (
            <NodeInspector
              span={span}
              parent={parent}
              node={node}
              run={{}}
              events={events.get(span.id) ?? []}
              onClose={onClose}
            />
          )
        }}
      />
    </>
  )
}

// The setting of an operator; a link of another scheme is left out.
function BackendLink({ to }: { readonly to: string }) {
  if (!/^https?:\/\//.test(to)) return undefined
  return (
    <a className="link" href={to} target="_blank" rel="noreferrer noopener">
      {new URL(to).host}
    </a>
  )
}

function eventsOf(roots: readonly SentSpan[]): ReadonlyMap<string, readonly unknown[]> {
  const events = new Map<string, readonly unknown[]>()
  const open = [...roots]
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    if (span.events.length > 0) events.set(span.spanId, span.events)
    open.push(...span.children)
  }
  return events
}
