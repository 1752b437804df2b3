import { isServing } from './compared-versions.ts'
import type { ShownVersion } from './compared-versions.ts'
import type { ShownGateState } from './gate-mark.ts'
import { versionsText as text } from './text.ts'
import { VersionFacts } from './version-facts.tsx'
import styles from './versions.module.css'

interface VersionListProps {
  readonly versions: readonly ShownVersion[]
  /** Revisions whose pods take runs. */
  readonly serving: readonly number[]
  readonly gate: ShownGateState
  /** The revisions that are compared. */
  readonly compared: readonly number[]
  readonly onCompare: (revision: number) => void
}

/** The versions, newest first. A press compares one with the newer side of the comparison. */
export function VersionList({ versions, serving, gate, compared, onCompare }: VersionListProps) {
  return (
    <ul className={styles['list']} aria-label={text.list}>
      {versions.map((version) => (
        <li key={version.revision}>
          <button
            type="button"
            className={styles['version']}
            aria-pressed={compared.includes(version.revision)}
            onClick={() => onCompare(version.revision)}
          >
            <VersionFacts version={version} isServing={isServing(version, serving)} gate={gate} />
          </button>
        </li>
      ))}
    </ul>
  )
}
