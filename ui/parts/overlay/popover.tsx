import { useId, useRef, useState } from 'react'
import type { ReactNode, ToggleEvent } from 'react'
import { placeBeside } from './place.ts'
import styles from './popover.module.css'

/** What a button needs in order to open a popover. */
export interface PopoverTrigger {
  readonly popoverTarget: string
  readonly 'aria-expanded': boolean
  readonly 'aria-haspopup': 'menu' | 'dialog'
}

interface PopoverProps {
  readonly trigger: (props: PopoverTrigger) => ReactNode
  /** What it is, for screen readers. */
  readonly label: string
  readonly role?: 'menu' | 'dialog'
  readonly align?: 'start' | 'end'
  readonly width?: number
  /** Its content, rendered only while it is open. */
  readonly children: (close: () => void) => ReactNode
}

/** An overlay beside a button: the browser opens it, and closes it on Esc and on a click outside. */
export function Popover({ trigger, label, role = 'dialog', align = 'start', width = 232, children }: PopoverProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const toggle = ({ newState }: ToggleEvent<HTMLDivElement>): void => {
    if (newState === 'open') place(box.current, align)
  }
  return (
    <>
      {trigger({ popoverTarget: id, 'aria-expanded': isOpen, 'aria-haspopup': role })}
      <div
        ref={box}
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        className={styles['popover']}
        style={{ width }}
        onBeforeToggle={({ newState }) => setOpen(newState === 'open')}
        onToggle={toggle}
      >
        {isOpen ? children(() => box.current?.hidePopover()) : undefined}
      </div>
    </>
  )
}

// Once, when it opens: the page does not scroll under it, since it closes on the first click outside.
function place(box: HTMLDivElement | null, align: 'start' | 'end'): void {
  const button = box === null ? null : document.querySelector(`[popovertarget="${CSS.escape(box.id)}"]`)
  if (box === null || button === null) return
  const view = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight }
  const { left, top, maxHeight } = placeBeside(button.getBoundingClientRect(), box.getBoundingClientRect(), view, align)
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, maxHeight: `${maxHeight}px` })
  box.querySelector<HTMLElement>('[autofocus], [role^="menuitem"], input, button')?.focus()
}
