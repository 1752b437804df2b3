import { useMemo, useState } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useRowWindow } from '../table/use-row-window.ts'
import { useCopy } from '../value/use-copy.ts'
import { toJsonLines } from './json-lines.ts'
import type { JsonLine } from './json-lines.ts'
import styles from './json-view.module.css'

interface JsonViewProps {
  readonly value: unknown
  /** What it is, for screen readers. */
  readonly label: string
}

/** From so many lines on only those in view are in the document. */
const VIRTUAL_FROM = 2000
const LINE_PX = 20

/** A JSON value as text: levels fold, a press on the sign copies it all. */
export function JsonView({ value, label }: JsonViewProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [isCopied, copy] = useCopy()
  const lines = useMemo(() => toJsonLines(value, toggled), [value, toggled])
  const isVirtual = lines.length > VIRTUAL_FROM
  const [view, attach] = useRowWindow(isVirtual ? lines.length : 0, LINE_PX)
  const { first, end } = isVirtual ? view : { first: 0, end: lines.length }
  const toggle = (pointer: string): void => {
    const next = new Set(toggled)
    if (!next.delete(pointer)) next.add(pointer)
    setToggled(next)
  }
  return (
    <div className={styles['frame']}>
      <span className={styles['copy']}>
        <Button
          isSmall
          kind="quiet"
          icon={isCopied ? 'check' : 'copy'}
          aria-label={isCopied ? text.copy.done : `${text.copy.value} ${label}`}
          onClick={() => copy(JSON.stringify(value, null, 2) ?? '')}
        />
      </span>
      <div ref={attach} className={`mono ${styles['box']}`} role="group" aria-label={label} tabIndex={0}>
        <div className={styles['lines']} style={isVirtual ? { height: lines.length * LINE_PX } : {}}>
          {lines.slice(first, end).map((line, offset) => (
            <JsonRow
              key={`${line.pointer} ${line.kind === 'close' ? 'end' : ''}`}
              line={line}
              top={isVirtual ? (first + offset) * LINE_PX : undefined}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface JsonRowProps {
  readonly line: JsonLine
  readonly top: number | undefined
  readonly onToggle: (pointer: string) => void
}

function JsonRow({ line, top, onToggle }: JsonRowProps) {
  const { pointer, depth, name, kind, shown, count, isLast } = line
  const place = top === undefined ? {} : { top }
  const comma = isLast || kind === 'open' || kind === 'cut' ? '' : ','
  return (
    <div
      className={`${styles['line']} ${top === undefined ? '' : styles['fixed']}`}
      style={{ paddingInlineStart: Math.min(depth, 24) * 14, ...place }}
    >
      {name === undefined ? undefined : (
        <>
          <span className={styles['name']}>{name}</span>
          <span className={styles['sign']}>: </span>
        </>
      )}
      {(kind === 'open' || kind === 'folded') && count > 0 ? (
        <button
          type="button"
          className={styles['fold']}
          aria-expanded={kind === 'open'}
          aria-label={text.json.fold(name ?? pointer, count)}
          onClick={() => onToggle(pointer)}
        >
          {kind === 'open' ? shown : `${shown[0]} ${count} ${shown[1]}`}
        </button>
      ) : (
        <span className={styles[kind] ?? styles['sign']}>{shown}</span>
      )}
      <span className={styles['sign']}>{comma}</span>
    </div>
  )
}
