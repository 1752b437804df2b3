import type { CSSProperties } from 'react'
import { hueOf, initialOf } from '../format/names.ts'
import styles from './value.module.css'

/** The letter of a name on its hue. */
export function Glyph({ name, size = 20 }: { readonly name: string; readonly size?: number }) {
  const looks = { width: size, height: size, fontSize: size * 0.5, '--hue': hueOf(name) } as CSSProperties
  return (
    <span className={styles['glyph']} style={looks} aria-hidden>
      {initialOf(name)}
    </span>
  )
}

/** The name of an agent with its letter. */
export function AgentName({ name, revision }: { readonly name: string; readonly revision?: string | undefined }) {
  return (
    <span className={styles['agent']}>
      <Glyph name={name} />
      <span className="clip" dir="auto">
        {name}
      </span>
      {revision === undefined ? undefined : <span className="faint">{revision}</span>}
    </span>
  )
}
