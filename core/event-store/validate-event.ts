import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import type { NewEvent } from './event.ts'

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

/** Validates the data of events against the schema of their type. The error names type and field, never a value. */
export function createEventCheck(): (event: NewEvent) => void {
  const validators = new Map<TSchema, Validator>()
  return (event) => {
    const schema = event.type.data
    const validator = validators.get(schema) ?? Compile(schema)
    validators.set(schema, validator)
    if (validator.Check(event.data)) return
    const [first] = validator.Errors(event.data)
    throw new Error(`${event.type.type}: data${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`)
  }
}
