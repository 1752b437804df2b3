import { useState } from 'react'
import { documentText as text } from '../../text/documents.ts'
import { Button } from '../control/button.tsx'
import { toNode, valuesOf } from '../yaml/schema-shape.ts'
import styles from './form.module.css'
import { useFormEdit } from './form-edit.ts'
import { ScalarField } from './scalar-field.tsx'
import type { FieldProps } from './scalar-field.tsx'

const MAX_ROWS = 100

/** Values by key, such as labels. */
export function MapField({ path, title, schema, value }: FieldProps) {
  const { set, isReadOnly } = useFormEdit()
  const [key, setKey] = useState('')
  const values = valuesOf(schema)
  const rows = Object.entries(toNode(value) ?? {})
  const add = (): void => {
    const name = key.trim()
    if (name === '' || rows.some(([known]) => known === name)) return
    set([...path, name], '')
    setKey('')
  }
  if (values === undefined) return undefined
  return (
    <div className={styles['rows']}>
      {rows.slice(0, MAX_ROWS).map(([name, item]) => (
        <div key={name} className={styles['row']}>
          <ScalarField path={[...path, name]} title={name} schema={values} value={item} isRequired={false} />
          <RemoveButton title={name} isOff={isReadOnly} onRemove={() => set([...path, name], undefined)} />
        </div>
      ))}
      {isReadOnly ? undefined : (
        <div className={styles['adder']}>
          <input
            className={styles['input']}
            aria-label={text.form.newKey(title)}
            placeholder={text.form.key}
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={({ target }) => setKey(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
              event.preventDefault()
              add()
            }}
          />
          <Button icon="plus" isSmall onClick={add}>
            {text.form.addKey}
          </Button>
        </div>
      )}
    </div>
  )
}

interface RemoveButtonProps {
  readonly title: string
  readonly isOff: boolean
  readonly onRemove: () => void
}

/** Removes an entry of a list or a map. */
export function RemoveButton({ title, isOff, onRemove }: RemoveButtonProps) {
  if (isOff) return undefined
  return <Button kind="quiet" icon="close" isSmall aria-label={text.form.remove(title)} onClick={onRemove} />
}
