import { coreErrors } from './core-errors.ts'
import type { ErrorCode } from './core-errors.ts'
import { isObject } from '#core/json/is-object.ts'
import { problemOfError } from './define-errors.ts'
import type { ErrorDefinition } from './define-errors.ts'

/** One refused field: an RFC 6901 pointer (`/spec/image`, or `?limit` for a query, `:name` for a path) and why. */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

/**
 * A domain error with its definition: an error of core by its code, or one that the plugin declares in `errors`. Only
 * `core/http/problem/problem.ts` converts it to a response (RFC 9457).
 */
export class Fail extends Error {
  readonly definition: ErrorDefinition
  readonly code: string
  readonly errors: readonly FieldError[]
  readonly retryAfter: number | undefined // seconds
  /** Response headers of the error, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>
  constructor(
    error: ErrorCode | ErrorDefinition,
    detail?: string,
    more: {
      errors?: readonly FieldError[]
      retryAfter?: number
      headers?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    const definition = isDefinition(error) ? error : ofCore(error)
    super(detail ?? definition.title, { cause: more.cause })
    this.name = 'Fail'
    this.definition = definition
    this.code = definition.code
    this.errors = more.errors ?? []
    this.retryAfter = more.retryAfter
    this.headers = more.headers ?? {}
  }
}

function isDefinition(error: unknown): error is ErrorDefinition {
  return isObject(error) && problemOfError(error) === undefined
}

// Untyped plugins may name any code.
function ofCore(code: ErrorCode): ErrorDefinition {
  if (!Object.hasOwn(coreErrors, code))
    throw new TypeError(`${code} is not an error of core; declare it with defineErrors`)
  return coreErrors[code]
}
