import { useAddress } from '#ui/contract/search.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { labelTypes } from '../shared/label-types.ts'
import { datasetsText } from '../shared/text.ts'
import styles from './label.module.css'
import type { LabelTask } from './use-label-work.ts'

const text = datasetsText.work
const shows = (['open', 'all'] as const).map((value) => ({ value, label: text.shows[value] }))
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/

/** What is judged, as what, and of which cases. */
export function LabelTaskBar({ task }: { readonly task: LabelTask }) {
  const [, change] = useAddress()
  const rename = (name: string): void => {
    if (NAME.test(name)) change({ judge: name === 'correct' ? undefined : name, item: undefined })
  }
  return (
    <div className={styles['bar']}>
      <label>
        <span>{text.name}</span>
        <input
          key={task.name}
          defaultValue={task.name}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onBlur={({ target }) => rename(target.value.trim())}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') rename(currentTarget.value.trim())
          }}
        />
      </label>
      <label>
        <span>{text.type}</span>
        <select
          value={task.dataType}
          onChange={({ target: { value } }) => change({ as: value === 'boolean' ? undefined : value })}
        >
          {labelTypes.map((type) => (
            <option key={type} value={type}>
              {text.types[type]}
            </option>
          ))}
        </select>
      </label>
      <Segmented
        label={text.show}
        value={task.show}
        options={shows}
        onChange={(show) => change({ show: show === 'open' ? undefined : show, item: undefined })}
      />
    </div>
  )
}
