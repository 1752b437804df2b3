import { list, object, optionalField, string } from './schema.ts'
import type { Static } from './schema.ts'

/** Fields of problem+json (RFC 9457) that a caller of the state role decides by. */
export const problem = object(
  {
    code: optionalField(string()),
    detail: optionalField(string()),
    errors: optionalField(list(object({ pointer: string(), detail: string() }, { open: true }))),
  },
  { open: true },
)

/** See {@link problem}. */
export type StateProblem = Static<typeof problem>

/** Why a request was refused: the first of its fields with its error, else the detail. */
export function firstReason({ errors = [], detail }: StateProblem): string | undefined {
  const [first] = errors
  return first === undefined ? detail : `${first.pointer}: ${first.detail}`
}
