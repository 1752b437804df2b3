import { isBlocked } from '../yaml/patch-source.ts'
import { fieldsOf, resolveSchema, shapeOf, toNode, valuesOf } from '../yaml/schema-shape.ts'
import type { ValueSchema, ValueShape } from '../yaml/schema-shape.ts'
import { toPointer } from '../yaml/yaml-source.ts'
import type { ValuePath, YamlSource } from '../yaml/yaml-source.ts'

const MAX_LISTED = 50

/** Whether a form can show a value of a shape. */
export function fitsShape(shape: ValueShape, value: unknown): boolean {
  if (value === undefined || value === null) return shape !== 'other'
  if (shape === 'list') return Array.isArray(value)
  if (shape === 'object' || shape === 'map' || shape === 'free') return toNode(value) !== undefined
  if (shape === 'other') return false
  return shape === 'boolean' ? typeof value === 'boolean' : typeof value !== 'object'
}

/** The fields of a document that its form does not show: unknown ones, those of other types, and those with aliases. */
export function onlyInYaml(source: YamlSource, schema: ValueSchema, hidden: readonly string[]): readonly ValuePath[] {
  const found: ValuePath[] = []
  walk(resolveSchema(schema), source.value, [])
  return found

  function walk(one: ValueSchema, value: unknown, path: ValuePath): void {
    if (found.length >= MAX_LISTED || value === undefined || hidden.includes(toPointer(path))) return
    const shape = shapeOf(one)
    if (!fitsShape(shape, value) || isBlocked(source.document, path)) found.push(path)
    else if (shape === 'list' || shape === 'map') walkEntries(one, value, path)
    else if (shape === 'object') walkFields(one, value, path)
  }

  function walkEntries(one: ValueSchema, value: unknown, path: ValuePath): void {
    const values = valuesOf(one)
    if (values === undefined || value === null) return
    const entries = Array.isArray(value)
      ? value.map((item, index) => [index, item] as const)
      : Object.entries(value as object)
    for (const [name, item] of entries) walk(values, item, [...path, name])
  }

  function walkFields(one: ValueSchema, value: unknown, path: ValuePath): void {
    const fields = new Map(fieldsOf(one))
    for (const [name, item] of Object.entries(value ?? {})) {
      const inner = [...path, name]
      const field = fields.get(name)
      if (field !== undefined) walk(field, item, inner)
      else if (!hidden.includes(toPointer(inner)) && found.length < MAX_LISTED) found.push(inner)
    }
  }
}
