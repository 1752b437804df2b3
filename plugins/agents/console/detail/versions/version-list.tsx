import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { isServing } from './compared-versions.ts'
import type { ShownVersion } from './compared-versions.ts'
import { versionsText as text } from './text.ts'
import styles from './versions.module.css'

interface VersionListProps {
  readonly versions: readonly ShownVersion[]
  /** Revisions whose pods take runs. */
  readonly serving: readonly number[]
  /** The revisions that are compared. */
  readonly compared: readonly number[]
  readonly onCompare: (revision: number) => void
}

/** The versions, newest first. A press compares one with the newer side of the comparison. */
export function VersionList({ versions, serving, compared, onCompare }: VersionListProps) {
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
            <VersionFacts version={version} isServing={isServing(version, serving)} />
          </button>
        </li>
      ))}
    </ul>
  )
}

function VersionFacts({ version, isServing: serves }: { readonly version: ShownVersion; readonly isServing: boolean }) {
  const { revision, createdAt, createdBy, createdByExact, rollbackTo, summary, source } = version
  return (
    <>
      <span className="row">
        <b className="num">{`r${revision}`}</b>
        {serves ? <Tag tone="ok">{text.serving}</Tag> : undefined}
        {rollbackTo === null ? undefined : <Tag tone="warn">{text.rolledBackTo(rollbackTo)}</Tag>}
        <span className="grow" />
        <Time at={createdAt} />
      </span>
      <span className={`user-text ${styles['summary']}`} dir="auto">
        {summary}
      </span>
      <span className="faint">
        {text.made[source]} {createdBy === null ? undefined : text.by}{' '}
        {createdBy === null ? undefined : <Actor name={createdBy} isGuess={!createdByExact} />}
      </span>
    </>
  )
}
