import { useState } from 'react'
import { text } from '../../text/en.ts'
import { MessageView } from '../content/message-view.tsx'
import type { TraceSpan } from '../trace/flat-tree.ts'
import { StepInspector } from '../trace/step-inspector.tsx'
import type { InspectorTab } from '../trace/step-inspector.tsx'
import { ChildLink } from './child-link.tsx'
import { toStepDetail } from './run-node.ts'
import type { RunContent, RunNode } from './run-node.ts'
import { modelMessages, toWords } from './shown-messages.ts'

interface NodeInspectorProps {
  readonly span: TraceSpan
  readonly parent: TraceSpan | undefined
  readonly node: RunNode
  readonly run: RunContent
  /** Entries of the span, if they have been read. */
  readonly events?: readonly unknown[]
  /** Called when the tab of the events opens, which reads them. */
  readonly onEvents?: (() => void) | undefined
  readonly hasChildLink?: boolean
  readonly onClose: () => void
}

/** A span of a run: what went in, what came out, why it failed. */
export function NodeInspector(props: NodeInspectorProps) {
  const { span, parent, node, run, events = [], onEvents, hasChildLink = true, onClose } = props
  const [tab, setTab] = useState<InspectorTab>('content')
  const open = (next: InspectorTab): void => {
    setTab(next)
    if (next === 'events') onEvents?.()
  }
  return (
    <StepInspector
      span={span}
      parent={parent}
      detail={toStepDetail(node, run, events)}
      tab={tab}
      onTab={open}
      onClose={onClose}
      link={
        hasChildLink && node.kind === 'delegate' && node.runId != null ? <ChildLink runId={node.runId} /> : undefined
      }
    >
      {wordsOf(node)}
    </StepInspector>
  )
}

/** Messages of a model call, or the text of a message; undefined where input and output are values. */
function wordsOf({ kind, attributes, content }: RunNode) {
  if (kind === 'message') return <MessageView role="assistant" words={toWords(attributes['text'] ?? '')} />
  if (kind !== 'model') return undefined
  const system = content?.systemInstructions
  const messages = [
    ...(system == null ? [] : modelMessages([{ role: 'system', parts: system }], 'system')),
    ...modelMessages(content?.inputMessages, 'in'),
    ...modelMessages(content?.outputMessages, 'out'),
  ]
  if (messages.length === 0) return <p className="faint">{text.run.noContent}</p>
  return messages.map((one) =>
    one.kind === 'words' ? <MessageView key={one.id} role={one.role} words={one.words} /> : undefined,
  )
}
