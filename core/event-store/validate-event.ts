import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import type { EventType, NewEvent } from './event.ts'

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

/**
 * Validates the data of events against the schema of their type. The error names type and field, never a value. With `declared`, an event
 * of another type is refused: it would have no audit row, no rights and no documentation.
 */
export function createEventCheck(declared?: readonly EventType[]): (event: NewEvent) => void {
  const types = declared === undefined ? undefined : new Map(declared.map((one) => [one.type, one]))
  const validators = new Map<TSchema, Validator>()
  return (event) => {
    const type = types === undefined ? event.type : types.get(event.type.type)
    if (type === undefined)
      throw new Error(`the event ${event.type.type} is declared by no plugin; list it in the \`events\` of the plugin`)
    const schema = type.data
    const validator = validators.get(schema) ?? Compile(schema)
    validators.set(schema, validator)
    if (validator.Check(event.data)) return
    const [first] = validator.Errors(event.data)
    throw new Error(`${event.type.type}: data${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`)
  }
}
