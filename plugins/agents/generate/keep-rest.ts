import { isObject } from '#core/json/is-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** Applies the changes of a model to a config: omitted fields stay, in nested objects too, and null removes a field. Pure. */
export function keepRest(base: Fields, changes: Fields): Record<string, unknown> {
  const fields = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(changes)) {
    const old = fields.get(key)
    if (value === null) fields.delete(key)
    else fields.set(key, isObject(value) && isObject(old) ? keepRest(old, value) : value)
  }
  return Object.fromEntries(fields)
}
