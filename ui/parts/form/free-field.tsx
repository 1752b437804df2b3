import { useId, useState } from 'react'
import { stringify } from 'yaml'
import { documentText as text } from '../../text/documents.ts'
import { FieldError } from '../state/field-error.tsx'
import { toNode } from '../yaml/schema-shape.ts'
import { readYaml, toPointer } from '../yaml/yaml-source.ts'
import styles from './form.module.css'
import { useFormEdit } from './form-edit.ts'
import type { FieldProps } from './scalar-field.tsx'

/** An object whose fields the schema does not name, as YAML. What is no object stays in the field, and the document as it was. */
export function FreeField({ path, title, schema, value, isRequired }: FieldProps) {
  const id = useId()
  const { set, isReadOnly, problems } = useFormEdit()
  const [draft, setDraft] = useState<string>()
  const shown = draft ?? toYaml(value)
  const problem = readObject(shown) === undefined ? text.form.notAnObject : problems.get(toPointer(path))
  const change = (typed: string): void => {
    setDraft(typed)
    const read = readObject(typed)
    if (read !== undefined) set(path, typed.trim() === '' && !isRequired ? undefined : read)
  }
  const { description } = schema.node
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        <span dir="auto">{title}</span>
        <span className={styles['required']}>{text.form.asYaml}</span>
      </label>
      <textarea
        id={id}
        className={`mono ${styles['input']}`}
        aria-describedby={`${id}-hint${problem === undefined ? '' : ` ${id}-error`}`}
        aria-invalid={problem !== undefined}
        rows={Math.min(14, Math.max(3, shown.split('\n').length + 1))}
        readOnly={isReadOnly}
        spellCheck={false}
        value={shown}
        onChange={({ target }) => change(target.value)}
        // What was read is shown as the document has it; a text that is no object would be lost.
        onBlur={() => (readObject(shown) === undefined ? undefined : setDraft(undefined))}
      />
      <p id={`${id}-hint`} className={styles['hint']} dir="auto">
        {typeof description === 'string' ? description : ''}
      </p>
      {problem === undefined ? undefined : <FieldError id={`${id}-error`}>{problem}</FieldError>}
    </div>
  )
}

function toYaml(value: unknown): string {
  const object = toNode(value)
  return object === undefined || Object.keys(object).length === 0 ? '' : stringify(object, { lineWidth: 0 })
}

// An empty text is an object without fields.
function readObject(typed: string): object | undefined {
  if (typed.trim() === '') return {}
  const { value, problems } = readYaml(typed)
  return problems.length > 0 ? undefined : toNode(value)
}
