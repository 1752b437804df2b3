import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { documentText as text } from '../../text/documents.ts'
import { choicesOf, isNumberOrText, shapeOf } from '../yaml/schema-shape.ts'
import type { ValueSchema } from '../yaml/schema-shape.ts'
import { toPointer } from '../yaml/yaml-source.ts'
import type { ValuePath } from '../yaml/yaml-source.ts'
import { FieldError } from '../state/field-error.tsx'
import styles from './form.module.css'
import { useFormEdit } from './form-edit.ts'

/** A field of a form: its place, its schema and its value. */
export interface FieldProps {
  readonly path: ValuePath
  readonly title: string
  readonly schema: ValueSchema
  readonly value: unknown
  readonly isRequired: boolean
}

/** A string, a number, a switch or a choice. */
export function ScalarField({ path, title, schema, value, isRequired }: FieldProps) {
  const id = useId()
  const { set, isReadOnly, fixed, problems } = useFormEdit()
  const pointer = toPointer(path)
  const problem = problems.get(pointer)
  const { description } = schema.node
  const isOff = isReadOnly || fixed.includes(pointer)
  const change = (next: string): void => set(path, readInput(schema, next, isRequired))
  const shared = {
    id,
    'aria-describedby': `${id}-hint${problem === undefined ? '' : ` ${id}-error`}`,
    'aria-invalid': problem !== undefined,
    'aria-required': isRequired,
  }
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        <span dir="auto">{title}</span>
        {isRequired && (value === undefined || value === '') ? (
          <span className={styles['required']}>{text.form.required}</span>
        ) : undefined}
      </label>
      <ScalarInput {...{ schema, value, isOff, shared, onChange: change }} />
      <p id={`${id}-hint`} className={styles['hint']} dir="auto">
        {typeof description === 'string' ? description : ''}
      </p>
      {problem === undefined ? undefined : <FieldError id={`${id}-error`}>{problem}</FieldError>}
    </div>
  )
}

interface ScalarInputProps {
  readonly schema: ValueSchema
  readonly value: unknown
  readonly isOff: boolean
  readonly shared: object
  readonly onChange: (value: string) => void
}

function ScalarInput({ schema, value, isOff, shared, onChange }: ScalarInputProps) {
  // While it is typed, "1." is what was typed and not yet a number.
  const [draft, setDraft] = useState<string>()
  const shape = shapeOf(schema)
  const written = value === undefined || value === null ? '' : String(value)
  if (shape === 'boolean' || shape === 'choice') {
    return (
      <select
        {...shared}
        className={styles['input']}
        disabled={isOff}
        value={written}
        onChange={({ target }) => onChange(target.value)}
      >
        <ChoiceList schema={schema} written={written} />
      </select>
    )
  }
  const given = {
    ...shared,
    className: styles['input'],
    readOnly: isOff,
    spellCheck: shape === 'text',
    dir: 'auto',
    value: draft ?? written,
    placeholder: defaultOf(schema),
    onBlur: () => setDraft(undefined),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setDraft(target.value)
      onChange(target.value)
    },
  } as const
  const isLong = shape === 'text' || written.includes('\n')
  if (isLong) return <textarea {...given} rows={Math.min(14, Math.max(3, written.split('\n').length + 1))} />
  return <input {...given} autoComplete="off" inputMode={shape === 'number' ? 'decimal' : 'text'} />
}

function ChoiceList({ schema, written }: { readonly schema: ValueSchema; readonly written: string }): ReactNode {
  const choices = shapeOf(schema) === 'boolean' ? ['true', 'false'] : choicesOf(schema.node)
  const words: Readonly<Record<string, string>> = { true: text.form.yes, false: text.form.no }
  const isKnown = written === '' || choices.includes(written)
  const byDefault = defaultOf(schema)
  return (
    <>
      <option value="">{byDefault === '' ? text.form.unset : byDefault}</option>
      {isKnown ? undefined : <option value={written}>{written}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {shapeOf(schema) === 'boolean' ? words[choice] : choice}
        </option>
      ))}
    </>
  )
}

function defaultOf({ node }: ValueSchema): string {
  const { default: value } = node
  return value === undefined || typeof value === 'object' ? '' : text.form.byDefault(String(value))
}

/** The value of what was typed; what is no number stays a string, so that the problem is shown and nothing is lost. */
function readInput(schema: ValueSchema, typed: string, isRequired: boolean): unknown {
  const shape = shapeOf(schema)
  if (typed === '') return isRequired && (shape === 'string' || shape === 'text') ? '' : undefined
  if (shape === 'boolean') return typed === 'true'
  const isNumber = shape === 'number' || isNumberOrText(schema.node)
  return isNumber && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(typed) ? Number(typed) : typed
}
