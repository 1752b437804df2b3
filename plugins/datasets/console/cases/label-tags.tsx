import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { Tone } from '#ui/parts/status/tones.ts'
import { toLabelWords } from '../shared/shown-dataset.ts'
import type { CaseLabel } from '../shared/shown-dataset.ts'
import styles from './cases.module.css'

const MOST = 3

/** Labels that count, in a row of a table. */
export function LabelTags({ labels }: { readonly labels: readonly CaseLabel[] }) {
  const rest = labels.length - MOST
  return (
    <span className="row">
      {labels.slice(0, MOST).map((label) => (
        <LabelTag key={label.id} label={label} />
      ))}
      {rest <= 0 ? undefined : <span className="faint num">{`+${rest}`}</span>}
    </span>
  )
}

/** What one label says. */
export function LabelTag({ label }: { readonly label: Pick<CaseLabel, 'name' | 'dataType' | 'value'> }) {
  return (
    <Tag tone={toneOf(label)}>
      <span className={styles['tag']} dir="auto">
        {`${label.name}: ${toLabelWords(label)}`}
      </span>
    </Tag>
  )
}

function toneOf({ dataType, value }: Pick<CaseLabel, 'dataType' | 'value'>): Tone {
  if (dataType !== 'boolean') return 'info'
  return value === true ? 'ok' : 'bad'
}
