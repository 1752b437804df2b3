import { useMemo, useState } from 'react'
import type { PartStates } from '../part-states.ts'
import { MessageView } from '../content/message-view.tsx'
import { exampleTree } from './example-tree.states.ts'
import { flattenTree } from './flat-tree.ts'
import { Flame } from './flame.tsx'
import { Minimap } from './minimap.tsx'
import { selectAtFirst } from './span-keys.ts'
import { StepInspector } from './step-inspector.tsx'
import type { InspectorTab, StepDetail } from './step-inspector.tsx'
import { TimeRuler } from './time-ruler.tsx'
import { Waterfall } from './waterfall.tsx'
import { WaterfallTools } from './waterfall-tools.tsx'

interface ExampleProps {
  readonly size: number
  readonly end?: 'ended' | 'failed' | 'live'
  readonly isFlame?: boolean
  readonly isTruncated?: boolean
  readonly height?: number
}

function Example({ size, end = 'ended', isFlame = false, isTruncated = false, height = 420 }: ExampleProps) {
  const spans = useMemo(() => flattenTree(exampleTree(size, end)), [size, end])
  const [selected, setSelected] = useState(() => selectAtFirst(spans))
  const shared = { spans, selected, onSelect: setSelected, elapsed: end === 'live' ? 30_000 : 0 }
  const more = isTruncated ? { words: 'More from step 812', onLoad: () => undefined } : undefined
  return (
    <div style={{ display: 'flex', height }}>
      {isFlame ? <Flame {...shared} /> : <Waterfall {...shared} {...(more === undefined ? {} : { more })} />}
    </div>
  )
}

const nothing = (): void => undefined
const [, step, , , tool] = flattenTree(exampleTree(20, 'failed'))
const failed = flattenTree(exampleTree(20, 'failed')).at(-1)
const detail: StepDetail = {
  input: { account: '4210', amount: { gte: '12840.00' } },
  output: { error: { code: 'upstream_failure', status: 503 } },
  tokens: 812,
  error: { title: 'upstream answered 503 after 2 retries', detail: 'Attempts at +0 ms, +210 ms and +640 ms.' },
  attributes: { 'tool.name': 'ledger.search', 'run.state': 'failed' },
  events: [{ at: '+0 ms', name: 'attempt' }],
}

function Inspected({
  span,
  shown = detail,
  isModel = false,
}: {
  readonly span: typeof tool
  readonly shown?: StepDetail
  readonly isModel?: boolean
}) {
  const [tab, setTab] = useState<InspectorTab>('content')
  if (span === undefined) return undefined
  const content = isModel ? <MessageView role="assistant" words="The ledger has **two** entries." /> : undefined
  return (
    <div
      style={{ position: 'relative', height: 520, maxWidth: 384, overflow: 'auto', transform: 'translateZ(0)' }}
      tabIndex={0}
      role="region"
      aria-label="An inspector"
    >
      <StepInspector span={span} parent={step} detail={shown} tab={tab} onTab={setTab} onClose={nothing}>
        {content}
      </StepInspector>
    </div>
  )
}

/** States of the parts of this folder. */
export const traceStates: readonly PartStates[] = [
  {
    part: 'Waterfall',
    states: [
      { name: 'failed, 1,000 spans', show: () => <Example size={1000} end="failed" height={560} /> },
      { name: 'ended', show: () => <Example size={20} /> },
      { name: 'live', show: () => <Example size={12} end="live" /> },
      { name: 'truncated', show: () => <Example size={60} isTruncated /> },
      { name: '1 span', show: () => <Example size={1} height={360} /> },
      { name: '10,000 spans', show: () => <Example size={10_000} /> },
    ],
  },
  {
    part: 'Flame',
    states: [
      { name: 'whole', show: () => <Example size={1000} end="failed" isFlame height={260} /> },
      { name: 'short', show: () => <Example size={20} isFlame height={240} /> },
    ],
  },
  {
    part: 'StepInspector',
    states: [
      { name: 'error', show: () => <Inspected span={failed} /> },
      {
        name: 'redacted',
        show: () => <Inspected span={tool} shown={{ attributes: {}, events: [], removedBy: ['pii'] }} />,
      },
      { name: 'model', show: () => <Inspected span={step} shown={{ attributes: {}, events: [] }} isModel /> },
    ],
  },
  {
    part: 'Minimap',
    states: [
      {
        name: 'zoomed',
        show: () => (
          <Minimap
            spans={flattenTree(exampleTree(400, 'failed'))}
            total={120_000}
            zoom={{ from: 20_000, to: 60_000 }}
            onZoom={nothing}
          />
        ),
      },
    ],
  },
  { part: 'TimeRuler', states: [{ name: 'zoomed', show: () => <TimeRuler zoom={{ from: 20_000, to: 60_000 }} /> }] },
  {
    part: 'WaterfallTools',
    states: [
      {
        name: 'zoomed',
        show: () => (
          <WaterfallTools
            words=""
            onWords={nothing}
            isCritical
            onCritical={nothing}
            isZoomed
            onFit={nothing}
            shown={123}
            all={1000}
          />
        ),
      },
    ],
  },
]
