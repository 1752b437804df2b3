import { useState } from 'react'
import type { ReactNode } from 'react'
import { documentText as text } from '../../text/documents.ts'
import { Button } from '../control/button.tsx'
import { isBlocked } from '../yaml/patch-source.ts'
import { fieldsOf, requiredOf, shapeOf, toNode, valuesOf } from '../yaml/schema-shape.ts'
import { toPointer } from '../yaml/yaml-source.ts'
import { Icon } from '../icon/icon.tsx'
import styles from './form.module.css'
import { fieldTitle, useFormEdit } from './form-edit.ts'
import { FreeField } from './free-field.tsx'
import { MapField, RemoveButton } from './map-field.tsx'
import { fitsShape } from './only-in-yaml.ts'
import { ScalarField } from './scalar-field.tsx'
import type { FieldProps } from './scalar-field.tsx'

const MAX_ROWS = 50
/** Groups of more levels are folded at first. */
const OPEN_LEVELS = 2

/** A field by its schema. What it cannot show is listed as only in YAML. */
export function FormField(props: FieldProps): ReactNode {
  const { hidden, source } = useFormEdit()
  const shape = shapeOf(props.schema)
  const isShown = !hidden.includes(toPointer(props.path)) && fitsShape(shape, props.value)
  if (!isShown || isBlocked(source.document, props.path)) return undefined
  if (shape === 'object') return <Group {...props} inside={() => <ObjectFields {...props} />} />
  if (shape === 'map') return <Group {...props} inside={() => <MapField {...props} />} />
  if (shape === 'list') return <Group {...props} inside={() => <ListField {...props} />} />
  return shape === 'free' ? <FreeField {...props} /> : <ScalarField {...props} />
}

/** The fields of an object: required ones first, then those with a value. They keep their places while one types. */
export function ObjectFields({ path, schema, value }: Pick<FieldProps, 'path' | 'schema' | 'value'>) {
  const required = requiredOf(schema.node)
  const object = toNode(value) ?? {}
  const [first] = useState(() => [...required, ...Object.keys(object)])
  const rankOf = ([name]: readonly [string, unknown]): number =>
    required.includes(name) ? 0 : first.includes(name) ? 1 : 2
  const fields = fieldsOf(schema).toSorted((a, b) => rankOf(a) - rankOf(b))
  return (
    <>
      {fields.map(([name, field]) => (
        <FormField
          key={name}
          path={[...path, name]}
          title={fieldTitle(name)}
          schema={field}
          value={Object.hasOwn(object, name) ? object[name] : undefined}
          isRequired={required.includes(name)}
        />
      ))}
    </>
  )
}

interface GroupProps extends FieldProps {
  /** Drawn once the group is open: a schema may contain itself. */
  readonly inside: () => ReactNode
}

function Group({ path, title, schema, value, isRequired, inside }: GroupProps) {
  const { problems } = useFormEdit()
  const pointer = toPointer(path)
  const isWrong = [...problems.keys()].some((one) => one === pointer || one.startsWith(`${pointer}/`))
  const isPresent = value !== undefined && value !== null
  const count = Array.isArray(value) ? value.length : Object.keys(toNode(value) ?? {}).length
  // An entry that was just added is there to be filled.
  const isEmptyEntry = typeof path.at(-1) === 'number' && count === 0
  const [isOpen, setOpen] = useState(isEmptyEntry || ((isRequired || isPresent) && path.length <= OPEN_LEVELS))
  const { description } = schema.node
  const own = problems.get(pointer)
  return (
    <div className={styles['group']} role="group" aria-label={title}>
      <button type="button" className={styles['fold']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'forward'} size={14} />
        <span dir="auto">{title}</span>
        {isRequired && !isPresent ? <span className={styles['required']}>{text.form.required}</span> : undefined}
        <span className="faint num">{isPresent ? count : text.form.unset}</span>
        {isWrong && !isOpen ? <Icon name="alert" size={14} className={styles['wrong']} /> : undefined}
      </button>
      {own === undefined ? undefined : (
        <p className={styles['wrong']} role="alert" dir="auto">
          {own}
        </p>
      )}
      {isOpen ? (
        <div className={styles['inside']}>
          {typeof description === 'string' ? (
            <p className={styles['hint']} dir="auto">
              {description}
            </p>
          ) : undefined}
          {inside()}
        </div>
      ) : undefined}
    </div>
  )
}

function ListField({ path, title, schema, value }: FieldProps) {
  const { set, isReadOnly } = useFormEdit()
  const items = valuesOf(schema)
  const list = Array.isArray(value) ? (value as readonly unknown[]) : []
  if (items === undefined) return undefined
  const isObject = shapeOf(items) === 'object'
  return (
    <div className={styles['rows']}>
      {list.slice(0, MAX_ROWS).map((item, index) => (
        // The place is what an entry is patched by.
        <div key={index} className={styles['row']}>
          <FormField
            path={[...path, index]}
            title={text.form.entry(title, index + 1)}
            schema={items}
            value={item}
            isRequired
          />
          <RemoveButton
            title={text.form.entry(title, index + 1)}
            isOff={isReadOnly}
            onRemove={() => set([...path, index], undefined)}
          />
        </div>
      ))}
      {isReadOnly ? undefined : (
        <div>
          <Button icon="plus" isSmall onClick={() => set([...path, list.length], isObject ? {} : '')}>
            {text.form.add(title)}
          </Button>
        </div>
      )}
    </div>
  )
}
