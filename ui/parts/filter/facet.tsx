import { text } from '../../text/en.ts'
import { Icon } from '../icon/icon.tsx'
import { Popover } from '../overlay/popover.tsx'
import styles from './filter-bar.module.css'
import { OptionList } from './option-list.tsx'
import type { ListOption } from './option-list.tsx'

interface FacetProps {
  /** What it filters by: "Agent". */
  readonly label: string
  readonly options: readonly ListOption[]
  /** The chosen value; undefined is all of them. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A filter by one of many values: dashed until it is set, then with a cross. */
export function Facet({ label, options, value, onChange }: FacetProps) {
  const chosen = options.find((option) => option.value === value)?.label ?? value
  return (
    <span className={`${styles['facet']} ${chosen === undefined ? '' : styles['set']}`}>
      <Popover
        label={label}
        trigger={(props) => (
          <button type="button" {...props}>
            {label}
            {chosen === undefined ? (
              <Icon name="down" size={13} />
            ) : (
              <span className={`clip ${styles['value']}`} dir="auto">
                {chosen}
              </span>
            )}
          </button>
        )}
      >
        {(close) => (
          <OptionList
            label={label}
            options={options}
            value={value}
            onPick={(picked) => {
              close()
              onChange(picked)
            }}
          />
        )}
      </Popover>
      {chosen === undefined ? undefined : (
        <button
          type="button"
          className={styles['cross']}
          aria-label={text.filter.remove(label)}
          onClick={() => onChange(undefined)}
        >
          <Icon name="close" size={13} />
        </button>
      )}
    </span>
  )
}
