import type { ChangeAddress } from '#ui/contract/search.ts'
import type { ComparedVersions, ShownVersion } from './compared-versions.ts'
import { versionsText as text } from './text.ts'
import styles from './versions.module.css'

interface VersionPickerProps {
  readonly versions: readonly ShownVersion[]
  readonly compared: ComparedVersions
  readonly onChange: ChangeAddress
}

/** Chooses both sides of the comparison. */
export function VersionPicker({ versions, compared: { from, to }, onChange }: VersionPickerProps) {
  const revisions = versions.map(({ revision }) => revision)
  return (
    <div className="row">
      <Side
        label={text.side.from}
        value={from}
        revisions={revisions.filter((one) => one !== to)}
        onPick={(value) => onChange({ from: value })}
      />
      <span aria-hidden="true" className="faint">
        {text.side.arrow}
      </span>
      <Side
        label={text.side.to}
        value={to}
        revisions={revisions.filter((one) => one !== from)}
        onPick={(value) => onChange({ from: String(from), to: value === String(revisions[0]) ? undefined : value })}
      />
    </div>
  )
}

interface SideProps {
  readonly label: string
  readonly value: number
  readonly revisions: readonly number[]
  readonly onPick: (revision: string) => void
}

function Side({ label, value, revisions, onPick }: SideProps) {
  return (
    <select
      className={`num ${styles['side']}`}
      aria-label={label}
      value={value}
      onChange={({ target }) => onPick(target.value)}
    >
      {revisions.map((revision) => (
        <option key={revision} value={revision}>
          {`r${revision}`}
        </option>
      ))}
    </select>
  )
}
