import { useEffect, useRef } from 'react'
import { Icon } from '../../parts/icon/icon.tsx'
import { StatusBadge } from '../../parts/status/status-badge.tsx'
import { text } from '../../text/en.ts'
import type { PaletteGroup, PaletteItem } from './palette-groups.ts'
import styles from './palette.module.css'

interface PaletteListProps {
  readonly groups: readonly PaletteGroup[]
  /** Number of the item that Enter opens. */
  readonly at: number
  readonly onPoint: (at: number) => void
  readonly onPick: (item: PaletteItem) => void
}

/** The results of the palette. The focus stays in its field. */
export function PaletteList({ groups, at, onPoint, onPick }: PaletteListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`#palette-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const starts = groups.map((_, index) => groups.slice(0, index).reduce((sum, { items }) => sum + items.length, 0))
  return (
    <div ref={list} id="palette-list" role="listbox" aria-label={text.palette.results} className={styles['list']}>
      {groups.map(({ title, items }, group) => (
        <div key={title} role="group" aria-label={title}>
          <div className={styles['head']} aria-hidden>
            {title}
          </div>
          {items.map((item, offset) => {
            const index = (starts[group] ?? 0) + offset
            return (
              <div
                key={item.id}
                id={`palette-${index}`}
                role="option"
                aria-selected={index === at}
                className={styles['option']}
                onMouseMove={() => onPoint(index)}
                onClick={() => onPick(item)}
              >
                <Icon name={item.icon} size={16} stroke={1.7} />
                <span className="clip" dir="auto">
                  {item.title}
                </span>
                <span className={`clip ${styles['note']}`} dir="auto">
                  {item.note}
                </span>
                <span className="grow" />
                {item.state === undefined ? undefined : <StatusBadge state={item.state} isPlain />}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
