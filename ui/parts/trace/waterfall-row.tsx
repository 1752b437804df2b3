import { memo } from 'react'
import { toSpokenDuration, toDuration } from '../format/duration.ts'
import { toMoney } from '../format/money.ts'
import { text } from '../../text/en.ts'
import type { TraceSpan } from './flat-tree.ts'
import styles from './trace.module.css'
import { barOf } from './zoom-spans.ts'
import type { TimeZoom } from './zoom-spans.ts'

interface WaterfallRowProps {
  readonly span: TraceSpan
  readonly place: number
  readonly row: number
  readonly zoom: TimeZoom
  readonly total: number
  readonly isSelected: boolean
  readonly isFolded: boolean
  readonly isAside: boolean
}

/** Height of a row; the sheet has the same number. */
export const SPAN_ROW_PX = 26
const INDENT_PX = 14
/** Deeper spans are not moved further, so that their names stay in the column. */
const DEEPEST = 12

/** A row of a waterfall. It has no handler: the grid handles keys and clicks. Its elements are used again for the row that scrolls in. */
export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { span, place, row, zoom, total, isSelected, isFolded, isAside } = props
  const { kind, name, depth, children, hasError, duration, cost } = span
  const isStrong = kind === 'step' || kind === 'run'
  return (
    <div
      id={`span-${place}`}
      data-place={place}
      role="row"
      aria-label={nameOf(span)}
      aria-level={depth + 1}
      aria-rowindex={row + 1}
      aria-selected={isSelected}
      {...(children === 0 ? {} : { 'aria-expanded': !isFolded })}
      className={styles['row']}
      style={{ transform: `translateY(${row * SPAN_ROW_PX}px)` }}
    >
      <div
        role="gridcell"
        className={styles['name']}
        style={{ paddingInlineStart: 8 + Math.min(depth, DEEPEST) * INDENT_PX }}
      >
        <span className={styles['fold']} {...(children === 0 ? {} : { 'data-fold': place })}>
          {children === 0 ? undefined : <i className={isFolded ? '' : styles['isOpen']} />}
        </span>
        <span className={`${styles['shape']} ${styles[kind]}`} />
        <span className={`clip ${isStrong ? styles['strong'] : ''}`} dir="auto">
          {name}
        </span>
        {hasError ? <b className={styles['failed']}>!</b> : undefined}
        {isFolded ? <span className="faint num">+{children}</span> : undefined}
      </div>
      <div role="gridcell" className={styles['lane']}>
        <SpanBar span={span} zoom={zoom} total={total} isAside={isAside} />
      </div>
      <div role="gridcell" className={`num ${styles['numbers']}`}>
        <span>{cost === undefined ? '' : toMoney(cost.amount, cost.currency)}</span>
        <span>{duration === undefined ? text.trace.open : toDuration(duration)}</span>
      </div>
    </div>
  )
})

type SpanBarProps = Pick<WaterfallRowProps, 'span' | 'zoom' | 'total' | 'isAside'>

function SpanBar({ span, zoom, total, isAside }: SpanBarProps) {
  const { left, width } = barOf(span, zoom, total)
  const isThin = span.kind === 'step' || span.kind === 'run'
  const names = ['bar', span.kind, isThin ? 'thin' : '', span.hasError ? 'bad' : '']
  const looks = [...names, span.duration === undefined ? 'open' : '', isAside ? 'aside' : '']
  return (
    <i className={looks.map((name) => styles[name] ?? '').join(' ')} style={{ left: `${left}%`, width: `${width}%` }} />
  )
}

function nameOf({ name, kind, hasError, duration, start }: TraceSpan): string {
  const length = duration === undefined ? text.trace.open : toSpokenDuration(duration)
  const parts = [
    name,
    text.trace.kinds[kind],
    hasError ? text.trace.failed : '',
    length,
    text.trace.at(toSpokenDuration(start)),
  ]
  return parts.filter((part) => part !== '').join(', ')
}
