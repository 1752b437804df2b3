import type { TSchema } from 'typebox'

/** The schema with a description, and with an example for the API's documents. A titled schema has its description at its declaration. */
export function described<T extends TSchema>(schema: T, description: string, ...examples: readonly unknown[]): T {
  return withKeywords(schema, { description, ...(examples.length === 0 ? {} : { examples }) })
}

/** The schema with an example for the API's documents. */
export function exemplified<T extends TSchema>(schema: T, example: unknown): T {
  return withKeywords(schema, { examples: [example] })
}

// TypeBox marks optional schemas with a property that a spread would lose.
function withKeywords<T extends TSchema>(schema: T, keywords: object): T {
  const copy = Object.create(Object.getPrototypeOf(schema) as object, Object.getOwnPropertyDescriptors(schema)) as T
  return Object.assign(copy, keywords)
}
