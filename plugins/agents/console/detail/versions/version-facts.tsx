import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { ShownVersion } from './compared-versions.ts'
import { gateMarkOf } from './gate-mark.ts'
import type { ShownGateState } from './gate-mark.ts'
import { versionsText as text } from './text.ts'
import styles from './versions.module.css'

interface VersionFactsProps {
  readonly version: ShownVersion
  readonly isServing: boolean
  readonly gate: ShownGateState
}

/** Who made a version, what it changed, whether it serves, and what the gate did with it. */
export function VersionFacts({ version, isServing, gate }: VersionFactsProps) {
  const { revision, createdAt, createdBy, createdByExact, rollbackTo, summary, source, override } = version
  const mark = gateMarkOf(version, gate)
  return (
    <>
      <span className="row">
        <b className="num">{`r${revision}`}</b>
        {isServing ? <Tag tone="ok">{text.serving}</Tag> : undefined}
        {rollbackTo === null ? undefined : <Tag tone="warn">{text.rolledBackTo(rollbackTo)}</Tag>}
        <span className="grow" />
        <Time at={createdAt} />
      </span>
      {mark === undefined ? undefined : (
        <span className="row">
          <StatusBadge state={mark.state}>{mark.words}</StatusBadge>
        </span>
      )}
      <span className={`user-text ${styles['summary']}`} dir="auto">
        {summary}
      </span>
      <span className="faint">
        {text.made[source]} {createdBy === null ? undefined : text.by}{' '}
        {createdBy === null ? undefined : <Actor name={createdBy} isGuess={!createdByExact} />}
      </span>
      {override === null ? undefined : <OverrideFacts override={override} />}
    </>
  )
}

function OverrideFacts({ override: { by, at, reason } }: { readonly override: NonNullable<ShownVersion['override']> }) {
  return (
    <>
      <span className="faint">
        {text.gate.by} <Actor name={by} /> <Time at={at} />
      </span>
      <span className={`user-text ${styles['summary']}`} dir="auto">
        {reason === '' ? text.gate.erased : reason}
      </span>
    </>
  )
}
