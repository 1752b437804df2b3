/** One error of the API. */
export interface ErrorDefinition {
  /** Stable snake_case name, for use by programs. */
  readonly code: string
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** Meaning in one sentence; the default detail. */
  readonly title: string
  /** The same request may succeed later. */
  readonly retryable: boolean
}

/** Errors of core or of one plugin, by code. */
export type ErrorTable = Readonly<Record<string, ErrorDefinition>>

/** Part of a definition that is not its code. */
export type ErrorSpec = Pick<ErrorDefinition, 'status' | 'title'> & { readonly retryable?: boolean }

/** Declares errors: `defineErrors({ run_not_paused: { status: 409, title: 'The run is not paused.' } })`. Throws for an invalid one. */
export function defineErrors<const Specs extends Readonly<Record<string, ErrorSpec>>>(
  specs: Specs,
): { readonly [Code in keyof Specs & string]: ErrorDefinition & { readonly code: Code } } {
  const table = Object.entries(specs).map(([code, spec]): [string, ErrorDefinition] => {
    const { status, title, retryable = false } = spec
    const definition = { code, status, title, retryable }
    const problem = problemOfError(definition)
    if (problem !== undefined) throw new TypeError(`error ${code.slice(0, 60)}: ${problem}`)
    return [code, definition]
  })
  return Object.fromEntries(table) as { readonly [Code in keyof Specs & string]: ErrorDefinition & { code: Code } }
}

/** Returns why a definition is invalid, undefined for a valid one. Definitions may come from untyped code. */
export function problemOfError(given: {
  readonly code?: unknown
  readonly status?: unknown
  readonly title?: unknown
}): string | undefined {
  const { code, status, title } = given
  if (typeof code !== 'string' || !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code) || code.length > 60)
    return 'the code must be snake_case, at most 60 characters'
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599)
    return 'the status must be an integer from 400 to 599'
  if (typeof title !== 'string' || title.trim() === '' || title.length > 200)
    return 'the title must be a sentence of at most 200 characters'
  return undefined
}
