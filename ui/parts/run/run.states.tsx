import { useState } from 'react'
import type { PartStates } from '../part-states.ts'
import { StatusBadge } from '../status/status-badge.tsx'
import { exampleTree } from '../trace/example-tree.states.ts'
import { flattenTree } from '../trace/flat-tree.ts'
import type { TreeSpan } from '../trace/flat-tree.ts'
import { ChildLink } from './child-link.tsx'
import { FactLine, StateLine } from './fact-line.tsx'
import { NodeInspector } from './node-inspector.tsx'
import type { JournalEvent } from './journal-event.ts'
import { EventDock, RunEvents } from './run-events.tsx'
import { RunMessages } from './run-messages.tsx'
import type { RunNode } from './run-node.ts'
import { RunViews } from './run-views.tsx'
import { messagesOf } from './shown-messages.ts'

const nothing = (): void => undefined
const toNode = (node: TreeSpan): RunNode => ({
  ...node,
  attributes: node.kind === 'tool' ? { arguments: { account: '4210' }, result: { entries: 2 } } : { model: node.name },
  runId: node.kind === 'delegate' ? '0193c5e1-77aa-7000-8000-000000000001' : null,
  children: node.children.map(toNode),
})
const root = toNode(exampleTree(30))
const spans = flattenTree(root)
const messages = messagesOf(root, {
  input: 'Which entries has account 4210?',
  output: 'The ledger has **two** entries.',
})
const events: readonly JournalEvent[] = ['run.queued', 'run.started', 'step.started', 'tool.started'].map(
  (kind, at) => ({
    seq: at + 1,
    ts: `2026-11-24T14:00:0${at}.000Z`,
    kind,
    agent: 'invoice-matcher',
    spanId: '7b5113cd00000001',
    data: { step: 1, arguments: { account: '4210' }, text: 'x'.repeat(400) },
  }),
)

function Views({ view: first }: { readonly view: string }) {
  const [{ view, span }, change] = useState<{ readonly view?: string | undefined; readonly span?: string | undefined }>(
    {
      view: first,
    },
  )
  return (
    <div style={{ display: 'flex', flexDirection: 'column', height: 460 }}>
      <RunViews
        spans={spans}
        view={view}
        spanId={span}
        onChange={(changes) => change({ view, span, ...changes })}
        messages={<RunMessages messages={messages} onCall={nothing} />}
        events={<RunEvents events={events} error={undefined} selected={2} onSelect={nothing} />}
        inspect={() => undefined}
      />
    </div>
  )
}

function Sheet({ children }: { readonly children: React.ReactNode }) {
  return (
    <div
      style={{ position: 'relative', height: 420, maxWidth: 384, overflow: 'auto', transform: 'translateZ(0)' }}
      tabIndex={0}
      role="region"
      aria-label="An inspector of a run"
    >
      {children}
    </div>
  )
}

function Inspected({ kind }: { readonly kind: RunNode['kind'] }) {
  const at = spans.findIndex((span) => span.kind === kind)
  const [span, node] = [spans[at], at === -1 ? undefined : nodeAt(at)]
  if (span === undefined || node === undefined) return undefined
  return (
    <Sheet>
      <NodeInspector span={span} parent={spans[span.parent]} node={node} run={{}} onClose={nothing} />
    </Sheet>
  )
}

function nodeAt(at: number): RunNode | undefined {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.spanId === spans[at]?.id) return node
    open.push(...node.children)
  }
  return undefined
}

/** States of the parts of this folder. */
export const runStateExamples: readonly PartStates[] = [
  {
    part: 'StateLine',
    states: [
      {
        name: 'failed',
        show: () => <StateLine badge={<StatusBadge state="failed" />}>ledger.search: upstream answered 503</StateLine>,
      },
      { name: 'long', show: () => <StateLine badge={<StatusBadge state="failed" />}>{'long '.repeat(400)}</StateLine> },
    ],
  },
  {
    part: 'FactLine',
    states: [
      {
        name: 'facts',
        show: () => (
          <FactLine
            facts={[
              ['Duration', '3.42 s'],
              ['Cost', undefined],
              ['For', 'mira.lang@example.com'],
            ]}
          />
        ),
      },
    ],
  },
  {
    part: 'RunViews',
    states: ['waterfall', 'flame', 'messages', 'events'].map((name) => ({ name, show: () => <Views view={name} /> })),
  },
  {
    part: 'RunMessages',
    states: [{ name: 'none', show: () => <RunMessages messages={[]} /> }],
  },
  {
    part: 'RunEvents',
    states: [
      {
        name: 'failed',
        show: () => (
          <RunEvents
            events={undefined}
            error={new Error('The stream ended.')}
            selected={undefined}
            onSelect={nothing}
          />
        ),
      },
    ],
  },
  {
    part: 'EventDock',
    states: [
      {
        name: 'an event',
        show: () => (
          <Sheet>{events[0] === undefined ? undefined : <EventDock event={events[0]} onClose={nothing} />}</Sheet>
        ),
      },
    ],
  },
  {
    part: 'NodeInspector',
    states: [
      { name: 'tool', show: () => <Inspected kind="tool" /> },
      { name: 'delegation', show: () => <Inspected kind="delegate" /> },
      { name: 'model call without content', show: () => <Inspected kind="model" /> },
    ],
  },
  {
    part: 'ChildLink',
    states: [{ name: 'a link', show: () => <ChildLink runId="0193c5e1-77aa-7000-8000-000000000001" /> }],
  },
]
