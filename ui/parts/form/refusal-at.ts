import { ApiProblem } from '../../api/api-problem.ts'

/** What a problem says of a field. Pure. */
export function refusalAt(error: Error | null, pointer: string): string | undefined {
  const refused = error instanceof ApiProblem ? (error.facts.errors ?? []) : []
  return refused.find((one) => one.pointer === pointer)?.detail
}

/** What was refused, at its fields; `rest` is what no field has. */
export interface RefusedFields<Part extends string> {
  readonly fields: Readonly<Partial<Record<Part, string>>>
  readonly rest: Error | null
}

/** What a problem says of the fields of a dialog, by the last segment of a pointer that is one. Pure. */
export function refusedFields<Part extends string>(error: Error | null, parts: readonly Part[]): RefusedFields<Part> {
  const { errors = [] } = error instanceof ApiProblem ? error.facts : {}
  const known = errors.flatMap((one) => {
    const part = one.pointer
      .split(/[/.]/)
      .map((segment) => parts.find((name) => name === segment))
      .findLast(Boolean)
    return part === undefined ? [] : [[part, one.detail] as const]
  })
  const fields = Object.fromEntries(known) as RefusedFields<Part>['fields']
  return { fields, rest: known.length === errors.length && known.length > 0 ? null : error }
}
