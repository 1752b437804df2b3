import { useState } from 'react'
import type { FormEvent } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { toExact } from '../format/times.ts'
import { Icon } from '../icon/icon.tsx'
import { Popover } from '../overlay/popover.tsx'
import { FieldError } from '../state/field-error.tsx'
import styles from './filter-bar.module.css'
import { OptionList } from './option-list.tsx'
import { fromField, isRelative, presets, toField } from './ranges.ts'
import type { TimeSpan } from './ranges.ts'

interface TimeRangeProps {
  readonly value: TimeSpan
  readonly onChange: (value: TimeSpan) => void
}

/** The range of time of a page: a preset, or from and to in UTC. */
export function TimeRange({ value, onChange }: TimeRangeProps) {
  const options = presets.map((preset) => ({ value: preset, label: text.range.last(preset) }))
  const words = isRelative(value)
    ? text.range.last(value.from)
    : text.range.between(shorten(value.from), value.to === undefined ? text.range.now : shorten(value.to))
  return (
    <span className={styles['facet']}>
      <Popover
        label={text.range.label}
        width={260}
        trigger={(props) => (
          <button type="button" {...props}>
            <Icon name="clock" size={13} />
            {words}
            <Icon name="down" size={13} />
          </button>
        )}
      >
        {(close) => {
          const pick = (span: TimeSpan): void => {
            close()
            onChange(span)
          }
          return (
            <>
              <OptionList
                label={text.range.label}
                options={options}
                value={value.from}
                onPick={(from) => pick({ from })}
              />
              <AbsoluteRange value={value} onPick={pick} />
            </>
          )
        }}
      </Popover>
    </span>
  )
}

function shorten(at: string): string {
  return toExact(at).replace(/:\d\d\.\d+ /, ' ')
}

function AbsoluteRange({ value, onPick }: { readonly value: TimeSpan; readonly onPick: (span: TimeSpan) => void }) {
  const [from, setFrom] = useState(toField(value.from))
  const [to, setTo] = useState(toField(value.to))
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const [start, end] = [fromField(from), fromField(to)]
    const isRange = start !== undefined && end !== undefined && start < end
    setWrong(!isRange)
    if (isRange) onPick({ from: start, to: end })
  }
  return (
    <form className={styles['range']} onSubmit={submit}>
      <label>
        {text.range.from}
        <input type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
      </label>
      <label>
        {text.range.to}
        <input
          type="datetime-local"
          value={to}
          onChange={({ target }) => setTo(target.value)}
          {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': 'range-error' } : {})}
        />
      </label>
      {isWrong ? <FieldError id="range-error">{text.range.wrong}</FieldError> : undefined}
      <Button isSubmit>{text.range.apply}</Button>
    </form>
  )
}
