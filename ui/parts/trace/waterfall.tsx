import { useEffect, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { text } from '../../text/en.ts'
import { scrollToMiddle, scrollToRow } from '../table/row-window.ts'
import { useRowWindow } from '../table/use-row-window.ts'
import { criticalPath } from './critical-path.ts'
import { totalOf } from './flat-tree.ts'
import type { TraceSpan } from './flat-tree.ts'
import { foldAtFirst, toggled, visibleRows } from './fold-spans.ts'
import { Minimap } from './minimap.tsx'
import { actionOfKey } from './span-keys.ts'
import type { SpanAction } from './span-keys.ts'
import { TimeRuler } from './time-ruler.tsx'
import styles from './trace.module.css'
import { SPAN_ROW_PX, WaterfallRow } from './waterfall-row.tsx'
import { WaterfallTools } from './waterfall-tools.tsx'
import { zoomAtFirst, zoomTo } from './zoom-spans.ts'
import type { TimeZoom } from './zoom-spans.ts'

interface WaterfallProps {
  readonly spans: readonly TraceSpan[]
  /** Place of the selected span, which stands in the address. */
  readonly selected: number
  readonly onSelect: (place: number) => void
  /** Milliseconds since the start, for a run that has not ended. */
  readonly elapsed?: number
  /** Loads what a truncated tree left out. */
  readonly more?: { readonly words: string; readonly onLoad: () => void }
}

/** More rows than a window shows: the element of a row that leaves is that of one that comes. */
const SLOTS = 128
const ROOM_PX = 560

/** The spans of a trace by time: a treegrid with one tab stop. */
export function Waterfall({ spans, selected, onSelect, elapsed = 0, more }: WaterfallProps) {
  const total = totalOf(spans, elapsed)
  const { folded, toggle, openAll } = useFolded(spans, selected)
  const [zoom, setZoom] = useState<TimeZoom | undefined>(() => zoomed(zoomAtFirst(spans, selected, total), total))
  const [words, setWords] = useState('')
  const [isCritical, setCritical] = useState(false)
  const path = useMemo(() => (isCritical ? criticalPath(spans, total) : undefined), [isCritical, spans, total])
  const rows = useMemo(() => visibleRows(spans, { folded, words }), [spans, folded, words])
  const shownZoom = zoom ?? { from: 0, to: total }
  const at = rows.indexOf(selected)
  const { box, first, end, attach } = useSpanWindow(rows.length, at, elapsed > 0)
  const act = (action: SpanAction): void => {
    switch (action.kind) {
      case 'select':
        return onSelect(action.place)
      case 'fold':
        return toggle(action.place)
      case 'openAll':
        return openAll()
      case 'fit':
        return setZoom(undefined)
      case 'zoom':
        return setZoom(zoomed(zoomTo(spans[action.place] ?? spans[0]!, total), total))
    }
  }
  const press = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    const action = isPlain ? actionOfKey(event.key, { spans, rows, folded, selected }) : undefined
    if (action === undefined) return
    event.preventDefault()
    act(action)
  }
  return (
    <div className={styles['trace']}>
      <Minimap spans={spans} total={total} zoom={shownZoom} onZoom={setZoom} />
      <WaterfallTools
        words={words}
        onWords={setWords}
        isCritical={isCritical}
        onCritical={setCritical}
        isZoomed={zoom !== undefined}
        onFit={() => setZoom(undefined)}
        shown={rows.length}
        all={spans.length}
      />
      <TimeRuler zoom={shownZoom} />
      <div
        ref={(element) => {
          box.current = element
          return attach(element)
        }}
        className={styles['grid']}
        role="treegrid"
        aria-label={text.trace.label}
        aria-rowcount={rows.length}
        aria-colcount={3}
        tabIndex={0}
        {...(at >= first && at < end ? { 'aria-activedescendant': `span-${selected}` } : {})}
        onKeyDown={press}
        onClick={(event) => clicked(event, act)}
      >
        <div role="rowgroup" className={styles['rows']} style={{ height: rows.length * SPAN_ROW_PX }}>
          {rows.slice(first, end).map((place, offset) => (
            <WaterfallRow
              key={(first + offset) % SLOTS}
              span={spans[place]!}
              place={place}
              row={first + offset}
              zoom={shownZoom}
              total={total}
              isSelected={place === selected}
              isFolded={folded.has(place)}
              isAside={path?.has(place) === false}
            />
          ))}
        </div>
      </div>
      {more === undefined ? undefined : (
        <button type="button" className={`link ${styles['more']}`} onClick={more.onLoad}>
          {more.words}
        </button>
      )}
    </div>
  )
}

// The whole is no zoom: it grows with a run that goes on.
function zoomed(zoom: TimeZoom, total: number): TimeZoom | undefined {
  return zoom.from <= 0 && zoom.to >= total ? undefined : zoom
}

/** Which spans are folded. They are kept by id, since the places of a live run move; spans that come later are open. */
function useFolded(spans: readonly TraceSpan[], selected: number) {
  const idOf = (place: number): string => spans[place]?.id ?? ''
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set([...foldAtFirst(spans, selected)].map(idOf)))
  const folded = useMemo(
    () => new Set(ids.size === 0 ? [] : [...spans.keys()].filter((place) => ids.has(spans[place]?.id ?? ''))),
    [spans, ids],
  )
  return {
    folded,
    toggle: (place: number) => setIds(toggled(ids, idOf(place))),
    openAll: () => setIds(new Set()),
  }
}

/** The rows in view; the selected one is in the middle at first, and stays in view when it moves. */
function useSpanWindow(count: number, at: number, isLive: boolean) {
  const box = useRef<HTMLDivElement>(null)
  const [initialTop] = useState(() => scrollToMiddle(at, { scrollTop: 0, height: ROOM_PX, rowHeight: SPAN_ROW_PX }))
  const [{ first, end }, attach] = useRowWindow(count, SPAN_ROW_PX, initialTop)
  const isShown = useRef(false)
  const wasAtEnd = useRef(false)
  useEffect(() => {
    const element = box.current
    // A live run is followed while its last row is in view.
    if (isLive && wasAtEnd.current && element !== null) element.scrollTop = element.scrollHeight
    wasAtEnd.current = end >= count && isLastInView(element)
  }, [count, end, isLive])
  useEffect(() => {
    const element = box.current
    if (!isShown.current || element === null || at < 0) {
      isShown.current = true
      return
    }
    const top = scrollToRow(at, { scrollTop: element.scrollTop, height: element.clientHeight, rowHeight: SPAN_ROW_PX })
    if (top !== undefined) element.scrollTop = top
  }, [at])
  return { box, first, end, attach }
}

function isLastInView(box: HTMLElement | null): boolean {
  return box !== null && box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - SPAN_ROW_PX
}

function clicked({ target }: MouseEvent, act: (action: SpanAction) => void): void {
  if (!(target instanceof Element)) return
  const fold = target.closest<HTMLElement>('[data-fold]')
  const row = target.closest<HTMLElement>('[data-place]')
  if (fold !== null) act({ kind: 'fold', place: Number(fold.dataset['fold']) })
  else if (row !== null) act({ kind: 'select', place: Number(row.dataset['place']) })
}
