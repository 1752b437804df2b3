import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useKeys } from '../keys/use-keys.ts'
import styles from './split.module.css'

/** A list or a graph, with an inspector docked at its side. */
export function Split({ children, dock }: { readonly children: ReactNode; readonly dock?: ReactNode }) {
  return (
    <div className={`${styles['split']} ${dock === undefined ? '' : styles['open']}`}>
      <div className={styles['main']}>{children}</div>
      {dock}
    </div>
  )
}

interface DockProps {
  readonly title: string
  /** A badge before the title. */
  readonly lead?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The inspector of what is selected: beside the list, and on a phone a sheet over it. Esc closes it; the focus returns. */
export function Dock({ title, lead, onClose, children }: DockProps) {
  useKeys([{ keys: 'Escape', label: text.keys.close, run: onClose }])
  const before = useRef<Element | null>(null)
  useEffect(() => {
    before.current = document.activeElement
    return () => {
      // Only if the focus would be lost, not if it was moved elsewhere.
      if (document.activeElement !== document.body || !(before.current instanceof HTMLElement)) return
      before.current.focus()
    }
  }, [])
  return (
    <aside className={styles['dock']} aria-label={title}>
      <div className={styles['head']}>
        {lead}
        <h2 className="grow clip" dir="auto">
          {title}
        </h2>
        <Button kind="quiet" isSmall icon="close" aria-label={text.shell.closeDock} onClick={onClose} />
      </div>
      {children}
    </aside>
  )
}

/** The content of a dock, with its distance from the edges. */
export function DockBody({ children }: { readonly children: ReactNode }) {
  return <div className={styles['body']}>{children}</div>
}

/** Facts by name, in a dock. */
export function DockFacts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => (
        <FactRow key={name} name={name} value={value} />
      ))}
    </dl>
  )
}

function FactRow({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </>
  )
}
