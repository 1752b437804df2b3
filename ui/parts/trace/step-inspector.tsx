import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { JsonView } from '../content/json-view.tsx'
import { Tabs } from '../control/tabs.tsx'
import { toCount } from '../format/counts.ts'
import { toDuration } from '../format/duration.ts'
import { toMoney } from '../format/money.ts'
import { UNKNOWN } from '../format/unknown.ts'
import { Dock } from '../page/split.tsx'
import { Notice } from '../page/notice.tsx'
import { StatusBadge } from '../status/status-badge.tsx'
import { IdCopy } from '../value/id-copy.tsx'
import type { TraceSpan } from './flat-tree.ts'
import styles from './step-inspector.module.css'
import trace from './trace.module.css'

/** A tab of the inspector. */
export type InspectorTab = 'content' | 'attributes' | 'events'

/** What is known of a step beside its place in the trace. */
export interface StepDetail {
  readonly input?: unknown
  readonly output?: unknown
  readonly tokens?: number | null
  readonly error?: { readonly title: string; readonly detail: string }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly unknown[]
  /** Names of the policies that removed something. */
  readonly removedBy?: readonly string[]
  /** There is content that the caller may not read. */
  readonly isWithheld?: boolean
  /** Parts of the content were left out. */
  readonly isCut?: boolean
}

interface StepInspectorProps {
  readonly span: TraceSpan
  readonly parent?: TraceSpan | undefined
  readonly detail: StepDetail
  readonly tab: InspectorTab
  readonly onTab: (tab: InspectorTab) => void
  readonly onClose: () => void
  /** A link to the run that it started. */
  readonly link?: ReactNode
  /** Messages of a model call, in place of input and output. */
  readonly children?: ReactNode
}

/** The selected step: what went in, what came out, why it failed. */
export function StepInspector(props: StepInspectorProps) {
  const { span, parent, detail, tab, onTab, onClose, link, children } = props
  const state = span.hasError ? 'error' : span.duration === undefined ? 'running' : 'ok'
  return (
    <Dock title={span.name} lead={<span className={`${trace['shape']} ${trace[span.kind]}`} />} onClose={onClose}>
      <div className={styles['head']}>
        <div className="row">
          <StatusBadge state={state} />
          <span className="clip">{text.trace.kindTitle[span.kind]}</span>
          {parent === undefined ? undefined : (
            <span className="clip" dir="auto">
              {text.trace.inside(parent.name)}
            </span>
          )}
          <span className="grow" />
          {link}
          <IdCopy id={span.id} />
        </div>
      </div>
      <StepFacts span={span} tokens={detail.tokens} />
      <Tabs
        label={text.trace.step}
        value={tab}
        onChange={onTab}
        options={[
          { value: 'content', label: span.kind === 'model' ? text.trace.messages : text.trace.content },
          { value: 'attributes', label: text.trace.attributes },
          { value: 'events', label: text.trace.events },
        ]}
      >
        <div className={styles['pane']}>
          {tab === 'content' ? <StepContent detail={detail}>{children}</StepContent> : undefined}
          {tab === 'attributes' ? <JsonView label={text.trace.attributes} value={detail.attributes} /> : undefined}
          {tab === 'events' ? <JsonView label={text.trace.events} value={detail.events} /> : undefined}
        </div>
      </Tabs>
    </Dock>
  )
}

function StepFacts({ span, tokens }: { readonly span: TraceSpan; readonly tokens: number | null | undefined }) {
  const { duration, start, cost } = span
  const facts: readonly (readonly [string, string])[] = [
    [text.trace.duration, duration === undefined ? text.trace.open : toDuration(duration)],
    [text.trace.startedAt, `+${toDuration(start)}`],
    [text.trace.tokens, toCount(tokens)],
    [text.trace.cost, cost === undefined ? UNKNOWN : toMoney(cost.amount, cost.currency)],
  ]
  return (
    <dl className={`num ${styles['facts']}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function StepContent({ detail, children }: { readonly detail: StepDetail; readonly children: ReactNode }) {
  const { input, output, error, removedBy = [], isWithheld = false, isCut = false } = detail
  const notes = [
    ...removedBy.map(text.trace.removed),
    ...(isWithheld ? [text.run.withheld] : []),
    ...(isCut ? [text.run.contentCut] : []),
  ]
  return (
    <>
      {error === undefined ? undefined : (
        <Notice tone="bad" title={error.title}>
          {error.detail}
        </Notice>
      )}
      {notes.map((note) => (
        <Notice key={note} tone="mute">
          {note}
        </Notice>
      ))}
      {children}
      {children !== undefined || input === undefined ? undefined : <Value title={text.trace.input} value={input} />}
      {children !== undefined || output === undefined ? undefined : <Value title={text.trace.output} value={output} />}
    </>
  )
}

function Value({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <div>
      <h3 className={styles['title']}>{title}</h3>
      <JsonView label={title} value={value} />
    </div>
  )
}
