import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Key } from '../../parts/control/button.tsx'
import { Icon } from '../../parts/icon/icon.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { text } from '../../text/en.ts'
import type { NavigationSection } from '../navigation/navigation.ts'
import { findItems, pastedPath } from './palette-groups.ts'
import type { PaletteItem } from './palette-groups.ts'
import { PaletteList } from './palette-list.tsx'
import styles from './palette.module.css'
import { usePaletteGroups } from './use-palette-groups.ts'

interface PaletteProps {
  readonly sections: readonly NavigationSection[]
  readonly onClose: () => void
}

/** Finds agents, runs, pages and actions. A pasted id or address opens its page. */
export function Palette({ sections, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const [groups, isBusy] = usePaletteGroups(sections, typed)
  const navigate = useNavigate()
  const found = findItems(groups, typed)
  const items = found.flatMap((group) => group.items)
  const pick = (item: PaletteItem | undefined): void => {
    const to = pastedPath(typed, location.origin) ?? item?.to
    if (to === undefined && item === undefined) return
    onClose()
    if (to === undefined) item?.run?.()
    else navigate({ href: to }).catch(() => undefined)
  }
  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (event.key === 'Enter') pick(items[at])
    if (step === undefined || items.length === 0) return
    event.preventDefault()
    setAt((at + step + items.length) % items.length)
  }
  return (
    <Dialog title={text.palette.label} isTitled={false} isWide onClose={onClose}>
      <div className={styles['field']}>
        <Icon name="search" size={17} />
        <input
          autoFocus
          role="combobox"
          aria-label={text.palette.label}
          aria-expanded={items.length > 0}
          aria-controls="palette-list"
          aria-autocomplete="list"
          {...(items.length === 0 ? {} : { 'aria-activedescendant': `palette-${at}` })}
          placeholder={text.palette.hint}
          maxLength={200}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
        <Key>{text.palette.escape}</Key>
      </div>
      <PaletteList groups={found} at={at} onPoint={setAt} onPick={pick} />
      {items.length > 0 ? undefined : (
        <div className={styles['nothing']}>
          <b dir="auto">{isBusy ? text.palette.busy : text.palette.nothing(typed)}</b>
          <p>{text.palette.nothingDetail}</p>
        </div>
      )}
      <span className="unseen" role="status">
        {text.palette.found(items.length)}
      </span>
      <div className={styles['foot']}>
        <Key>↑</Key>
        <Key>↓</Key>
        {text.palette.move}
        <Key>↵</Key>
        {text.palette.open}
      </div>
    </Dialog>
  )
}
