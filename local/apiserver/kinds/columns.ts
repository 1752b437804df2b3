import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { ageOf } from './human-duration.ts'
import { compileJsonPath } from './json-path.ts'

/** One column of a Table. `priority` 1 is shown by `-o wide` only. */
export interface Column {
  name: string
  type: string
  format: string
  description: string
  priority: number
  cell(object: KubeObject, now: Date): Json
}

const DESCRIPTIONS: { readonly [name: string]: string } = {
  Name: 'Name must be unique within a namespace.',
  Age: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  'Created At': 'CreationTimestamp is a timestamp representing the server time when this object was created.',
}

export type Cell = Column['cell']

/** A column of type string by default. */
export function column(name: string, cell: Cell, more: Partial<Column> = {}): Column {
  return { name, type: 'string', format: '', description: DESCRIPTIONS[name] ?? name, priority: 0, cell, ...more }
}

/** The first column of every Table. */
export const NAME = column('Name', (object) => object.metadata.name, { format: 'name' })

/** The age of an object. */
export const AGE = column('Age', (object, now) => ageOf(object.metadata.creationTimestamp, now))

/** A printer column of a CustomResourceDefinition: the fields that are used here. */
export interface PrinterColumn {
  name: string
  type: string
  jsonPath: string
  format?: string
  description?: string
  priority?: number
}

/** Columns of a custom kind: its printer columns, or the age when it declares none. */
export function customColumns(columns: readonly PrinterColumn[] | undefined): readonly Column[] {
  if (!columns?.length) return [NAME, { ...AGE, type: 'date' }]
  return [NAME, ...columns.map(customColumn)]
}

function customColumn({ name, type, jsonPath, format = '', description, priority = 0 }: PrinterColumn): Column {
  const evaluate = compileJsonPath(jsonPath)
  const described = description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`
  const cell: Cell = (object, now) => {
    const values = evaluate(object)
    if (values.length === 0) return null
    return type === 'string' && values.length > 1 ? values.map(text).join(',') : typed(type, values[0] ?? null, now)
  }
  return { name, type, format, description: described, priority, cell }
}

const text = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function typed(type: string, value: Json, now: Date): Json {
  if (value === null) return null
  if (type === 'integer') return typeof value === 'number' ? Math.trunc(value) : null
  if (type === 'number') return typeof value === 'number' ? value : null
  if (type === 'boolean') return typeof value === 'boolean' ? value : null
  return type === 'date' ? ageOf(value, now) : text(value)
}
