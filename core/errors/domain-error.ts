import { errorTable } from './core-errors.ts'
import type { ErrorCode } from './core-errors.ts'

/** One refused field: an RFC 6901 pointer (`/spec/image`, or `?limit` for a query, `:name` for a path) and why. */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

/** A domain error: a code, never a status. Only `core/http/problem/problem.ts` maps it to a status (RFC 9457). */
export class Fail extends Error {
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]
  readonly retryAfter: number | undefined // seconds
  /** Response headers of the error, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ErrorCode,
    detail?: string,
    more: {
      errors?: readonly FieldError[]
      retryAfter?: number
      headers?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    super(detail ?? errorTable[code].title, { cause: more.cause })
    this.name = 'Fail'
    this.code = code
    this.errors = more.errors ?? []
    this.retryAfter = more.retryAfter
    this.headers = more.headers ?? {}
  }
}
