import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { toAge } from '#ui/parts/format/times.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { toneClass } from '#ui/parts/status/tones.ts'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import { useNow } from '#ui/parts/value/clock.ts'
import { Time } from '#ui/parts/value/time.tsx'
import { isSoon, msLeft } from './items/approval-items.ts'
import type { ApprovalItem, PausedRun, WaitingInterrupt } from './items/approval-items.ts'
import styles from './approvals.module.css'
import { RejectSelected } from './reject-selected.tsx'
import { approvalsText as text } from './items/text.ts'

interface QueueProps {
  readonly items: readonly ApprovalItem[]
  readonly shown: string | undefined
  readonly selected: ReadonlySet<string>
  readonly onChoose: (id: string) => void
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onRejected: (runs: readonly PausedRun[]) => void
}

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** The decisions that wait, the most urgent one first. Arrows or j and k move, Space selects for a rejection of several. */
export function Queue({ items, shown, selected, onChoose, onSelect, onRejected }: QueueProps) {
  const chosen = items.filter(({ id }) => selected.has(id))
  const toggle = (id: string): void => {
    const next = new Set(chosen.map((one) => one.id))
    if (!next.delete(id)) next.add(id)
    onSelect(next)
  }
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null
    const at = items.findIndex(({ id }) => id === row?.dataset['row'])
    const item = items[at]
    if (item === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const target = items[at + (moves[event.key] ?? 0)]
    if (event.key === ' ' && row?.tagName === 'BUTTON') toggle(item.id)
    else if (event.key in moves && target !== undefined) focusRow(event.currentTarget, target.id, onChoose)
    else return
    event.preventDefault()
  }
  return (
    <>
      {chosen.length === 0 ? undefined : <RejectSelected items={chosen} onSelect={onSelect} onRejected={onRejected} />}
      <ul
        className={`${styles['queue']} ${chosen.length === 0 ? '' : styles['choosing']}`}
        aria-label={text.queue}
        onKeyDown={press}
      >
        {items.map((item, index) => (
          <QueueRow
            key={item.id}
            item={item}
            isShown={item.id === shown}
            hasTabStop={shown === undefined ? index === 0 : item.id === shown}
            isSelected={selected.has(item.id)}
            onChoose={onChoose}
            onToggle={toggle}
          />
        ))}
      </ul>
    </>
  )
}

function focusRow(list: HTMLElement, id: string, onChoose: (id: string) => void): void {
  onChoose(id)
  list.querySelector<HTMLElement>(`button[data-row="${CSS.escape(id)}"]`)?.focus()
}

interface QueueRowProps {
  readonly item: ApprovalItem
  readonly isShown: boolean
  readonly hasTabStop: boolean
  readonly isSelected: boolean
  readonly onChoose: (id: string) => void
  readonly onToggle: (id: string) => void
}

function QueueRow({ item, isShown, hasTabStop, isSelected, onChoose, onToggle }: QueueRowProps) {
  const { id, run, interrupt } = item
  const name = run.agent?.name ?? run.executor ?? run.id
  return (
    <li className={isShown ? styles['on'] : ''}>
      <label className={styles['pick']}>
        <Glyph name={name} size={28} />
        <input
          type="checkbox"
          data-row={id}
          tabIndex={-1}
          aria-label={text.bulk.select(name)}
          checked={isSelected}
          onChange={() => onToggle(id)}
        />
      </label>
      <button
        type="button"
        data-row={id}
        tabIndex={hasTabStop ? 0 : -1}
        aria-current={isShown}
        onClick={() => onChoose(id)}
      >
        <span className="row">
          <b className="clip grow" dir="auto">
            {name}
          </b>
          <Time at={interrupt.askedAt ?? run.createdAt} />
        </span>
        <Asks interrupt={interrupt} />
        <Expiry interrupt={interrupt} />
      </button>
    </li>
  )
}

function Asks({ interrupt: { reason, tool } }: { readonly interrupt: WaitingInterrupt }) {
  const words = reason === 'approval_required' && tool === undefined ? text.asks.step : text.asks[reason]
  return (
    <span className={styles['asks']}>
      <Icon name={icons[reason]} size={13} />
      <span>{words}</span>
      {tool === undefined ? undefined : (
        <span className="mono clip" dir="auto">
          {tool}
        </span>
      )}
    </span>
  )
}

const icons = {
  approval_required: 'tool',
  input_required: 'message',
  auth_required: 'key',
  budget_hold: 'coin',
} as const

/** How long a decision still waits. */
function Expiry({ interrupt }: { readonly interrupt: WaitingInterrupt }) {
  const now = useNow()
  const left = msLeft(interrupt, now)
  if (left === undefined) return undefined
  const isUrgent = isSoon(interrupt, now)
  const span = toAge(new Date(now).toISOString(), now + left)
  const words = left <= 0 ? text.expired : isUrgent ? text.soon(span) : text.left(span)
  return (
    <span className={`num ${styles['left']} ${isUrgent ? `${styles['urgent']} ${toneClass('bad')}` : ''}`}>
      <Icon name="clock" size={12} />
      {words}
    </span>
  )
}

/** Shown while the queue is loading. */
export function QueueSkeleton() {
  const [rows] = useState(() => Array.from({ length: 5 }, (_, index) => index))
  return (
    <div className={`${styles['inbox']} ${styles['waiting']}`} aria-busy>
      <div className={styles['side']}>
        {rows.map((row) => (
          <div key={row} className={styles['bone']} />
        ))}
      </div>
    </div>
  )
}
