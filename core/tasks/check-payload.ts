import type { TSchema } from 'typebox'
import type { FieldError } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'
import type { Check } from '#core/validation/validate.ts'

// Compiling a schema costs 2 ms.
const checks = new WeakMap<TSchema, Check>()

/** Returns the first error of a payload; undefined if it is valid. */
export function checkPayload(schema: TSchema, payload: unknown): FieldError | undefined {
  const check = checks.get(schema) ?? checkOf(schema)
  checks.set(schema, check)
  return check(payload)[0]
}
