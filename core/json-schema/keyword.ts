import type { Spend } from './steps.ts'
import type { SchemaVerdict } from './verdict.ts'

/** Judges a value by a schema, one level deeper. */
export type Judge = (value: unknown, schema: unknown) => SchemaVerdict

/** A keyword of a schema, and the value that is judged by it. */
export interface JudgedKeyword {
  readonly value: unknown
  /** Schema that has the keyword. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Value of the keyword in the schema. */
  readonly given: unknown
  readonly judge: Judge
  /** Judges the value by the schema that a reference names. */
  readonly refer: (reference: unknown) => SchemaVerdict
  readonly spend: Spend
}

/** Judges by one keyword. A value of a type to which the keyword does not apply fits; a malformed keyword is uncertain. */
export type Keyword = (judging: JudgedKeyword) => SchemaVerdict
