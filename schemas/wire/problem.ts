import { list, object, optionalField, string } from './schema.ts'
import type { Static } from './schema.ts'

/** Fields of problem+json (RFC 9457) on which callers of the state role base decisions. */
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

/** Why a request was refused: the first field with its error, else the detail. */
export function firstReason({ errors = [], detail }: StateProblem): string | undefined {
  const [first] = errors
  return first === undefined ? detail : `${first.pointer}: ${first.detail}`
}
