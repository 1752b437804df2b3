import { useId } from 'react'
import type { ReactNode, Ref } from 'react'
import { FieldError } from '../state/field-error.tsx'
import styles from './dialog-form.module.css'

interface LabelledProps {
  readonly label: string
  readonly hint?: string | undefined
  /** What is wrong with it, in the words of the page or of the server. */
  readonly refused?: string | undefined
}

interface FieldFrameProps extends LabelledProps {
  readonly children: (given: object) => ReactNode
}

// A label, the field, its hint, and what is wrong with it.
function FieldFrame({ label, hint, refused, children }: FieldFrameProps) {
  const id = useId()
  const wrong = refused === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id }
  return (
    <div className={styles['field']}>
      <label className={styles['field']}>
        <span>{label}</span>
        {children({ ...wrong, className: styles['input'] })}
      </label>
      {hint === undefined ? undefined : <span className="faint">{hint}</span>}
      {refused === undefined ? undefined : <FieldError id={id}>{refused}</FieldError>}
    </div>
  )
}

interface TextFieldProps extends LabelledProps {
  readonly value: string
  readonly maxLength: number
  readonly placeholder?: string | undefined
  readonly isRequired?: boolean
  readonly isLong?: boolean
  readonly onChange: (value: string) => void
}

/** A field of a dialog. */
export function TextField(props: TextFieldProps) {
  const { value, maxLength, placeholder, isRequired = false, isLong = false, onChange, ...labels } = props
  const shared = {
    value,
    maxLength,
    required: isRequired,
    autoComplete: 'off',
    spellCheck: isLong,
    dir: 'auto',
    ...(placeholder === undefined ? {} : { placeholder }),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  } as const
  return (
    <FieldFrame {...labels}>
      {(given) => (isLong ? <textarea {...given} {...shared} /> : <input {...given} {...shared} />)}
    </FieldFrame>
  )
}

interface SecretFieldProps extends LabelledProps {
  /** The only place of the value: the page keeps no copy, and it goes with the field. */
  readonly input: Ref<HTMLInputElement>
  readonly isRequired?: boolean
}

/** A key or a token that is pasted once. */
export function SecretField({ input, isRequired = false, ...labels }: SecretFieldProps) {
  return (
    <FieldFrame {...labels}>
      {(given) => (
        <input
          {...given}
          ref={input}
          type="password"
          required={isRequired}
          maxLength={4096}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
    </FieldFrame>
  )
}

type ChoiceFieldProps<Value extends string> = LabelledProps & {
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}

/** One of a few values. */
export function ChoiceField<Value extends string>({ value, options, onChange, ...labels }: ChoiceFieldProps<Value>) {
  return (
    <FieldFrame {...labels}>
      {(given) => (
        <select
          {...given}
          value={value}
          onChange={({ target }) => {
            const picked = options.find((option) => option.value === target.value)
            if (picked !== undefined) onChange(picked.value)
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}

interface CheckFieldProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

/** A switch of a dialog. */
export function CheckField({ label, isOn, onChange }: CheckFieldProps) {
  return (
    <label className={styles['check']}>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  )
}
