import { useState } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { toDuration } from '../format/duration.ts'
import { totalOf } from './flat-tree.ts'
import type { TraceSpan } from './flat-tree.ts'
import { toFlameBoxes } from './flame-boxes.ts'
import flame from './flame.module.css'
import styles from './trace.module.css'

interface FlameProps {
  readonly spans: readonly TraceSpan[]
  readonly selected: number
  readonly onSelect: (place: number) => void
  readonly elapsed?: number
}

const ROW_PX = 30

/** Spans as boxes under their parents. Its twin for screen readers and keys is the waterfall. */
export function Flame({ spans, selected, onSelect, elapsed = 0 }: FlameProps) {
  const [root, setRoot] = useState(0)
  const boxes = toFlameBoxes(spans, root, totalOf(spans, elapsed))
  const rows = boxes.reduce((most, { row }) => Math.max(most, row + 1), 1)
  return (
    <div className={flame['flame']} role="region" aria-label={text.trace.flame} tabIndex={0}>
      {root === 0 ? undefined : (
        <Button isSmall icon="fit" onClick={() => setRoot(0)}>
          {text.trace.wholeRun}
        </Button>
      )}
      <div className={flame['boxes']} style={{ height: rows * ROW_PX }} aria-hidden>
        {boxes.map(({ place, row, left, width }) => {
          const span = spans[place]!
          const looks = [
            styles[span.kind],
            flame['box'],
            place === selected ? flame['selected'] : '',
            span.hasError ? flame['bad'] : '',
          ]
          return (
            <div
              key={place}
              className={looks.join(' ')}
              style={{ left: `${left}%`, width: `calc(${width}% - 1px)`, top: row * ROW_PX }}
              data-tip={`${span.name}, ${toDuration(span.duration)}`}
              onClick={() => onSelect(place)}
              onDoubleClick={() => setRoot(span.children > 0 ? place : root)}
            >
              {width > 4 ? <span className={flame['name']}>{span.name}</span> : undefined}
              {width > 9 ? <span className={`num ${flame['time']}`}>{toDuration(span.duration)}</span> : undefined}
            </div>
          )
        })}
      </div>
      <p className="faint">{text.trace.flameHint(boxes.length, spans.length)}</p>
    </div>
  )
}
