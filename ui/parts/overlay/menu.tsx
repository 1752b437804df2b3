import type { KeyboardEvent, ReactNode } from 'react'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import styles from './menu.module.css'
import { Popover } from './popover.tsx'
import type { PopoverTrigger } from './popover.tsx'

/** An entry of a menu. One with `isChosen` is a choice of its group. */
export type MenuEntry =
  | { readonly kind: 'line' }
  | { readonly kind: 'label'; readonly text: string }
  | {
      readonly kind: 'item'
      readonly text: string
      readonly icon?: IconName
      readonly end?: ReactNode
      readonly isChosen?: boolean
      readonly isDanger?: boolean
      /** Why it does nothing; it stays, so that the reason can be read. */
      readonly whyNot?: string | undefined
      readonly onPick: () => void
    }

interface MenuProps {
  readonly label: string
  readonly trigger: (props: PopoverTrigger) => ReactNode
  readonly entries: readonly MenuEntry[]
  readonly align?: 'start' | 'end'
  readonly width?: number
}

/** A menu of actions. Arrows, Home, End and first letters move in it. */
export function Menu({ entries, ...rest }: MenuProps) {
  return (
    <Popover role="menu" {...rest}>
      {(close) => (
        <div onKeyDown={move}>
          {entries.map((entry, index) => (
            <MenuRow key={entry.kind === 'line' ? index : entry.text} entry={entry} close={close} />
          ))}
        </div>
      )}
    </Popover>
  )
}

function MenuRow({ entry, close }: { readonly entry: MenuEntry; readonly close: () => void }) {
  if (entry.kind === 'line') return <div role="separator" className={styles['line']} />
  if (entry.kind === 'label') return <div className={styles['label']}>{entry.text}</div>
  const { text, icon, end, isChosen, isDanger = false, whyNot, onPick } = entry
  const pick = (): void => {
    if (whyNot !== undefined) return
    close()
    onPick()
  }
  return (
    <button
      type="button"
      role={isChosen === undefined ? 'menuitem' : 'menuitemradio'}
      {...(isChosen === undefined ? {} : { 'aria-checked': isChosen })}
      {...(whyNot === undefined ? {} : { 'aria-disabled': true, 'aria-description': whyNot, 'data-tip': whyNot })}
      tabIndex={-1}
      className={`${styles['item']} ${isDanger ? styles['danger'] : ''}`}
      onClick={pick}
    >
      {icon === undefined ? undefined : <Icon name={icon} />}
      <span className="grow clip" dir="auto">
        {text}
      </span>
      {isChosen === true ? <Icon name="check" size={14} /> : end}
    </button>
  )
}

function move(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^="menuitem"]')]
  const at = items.findIndex((item) => item === document.activeElement)
  const last = items.length - 1
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at === last ? 0 : at + 1,
    ArrowUp: at <= 0 ? last : at - 1,
    Home: 0,
    End: last,
  }
  const target = items[targets[event.key] ?? -1] ?? itemOfLetter(items, at, event.key)
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}

function itemOfLetter(items: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if ([...key].length !== 1 || key === ' ') return undefined
  const after = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  return after.find((item) => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase()))
}
