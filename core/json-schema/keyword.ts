import type { Spend } from './steps.ts'
import type { SchemaVerdict } from './verdict.ts'

/** Judges a value by a schema, one level deeper. */
export type Judge = (value: unknown, schema: unknown) => SchemaVerdict

/** A keyword of a schema, and the value that is judged by it. */
export interface JudgedKeyword {
  readonly value: unknown
  /** Schema that has the keyword. */
  readonly schema: Readonly<Record<string, unknown>>
  /** What the schema gives as the keyword's value. */
  readonly given: unknown
  readonly judge: Judge
  /** Judges the value by the schema that a reference names. */
  readonly refer: (reference: unknown) => SchemaVerdict
  readonly spend: Spend
}

/** Judges by one keyword. A value of another type than the keyword is about fits; a keyword that is not well-formed is uncertain. */
export type Keyword = (judging: JudgedKeyword) => SchemaVerdict
