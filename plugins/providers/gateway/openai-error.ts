import { toAnswer } from '#core/http/problem.ts'
import type { FailureReason } from './failure.ts'

/** An error body of the OpenAI API. */
export interface OpenAiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** A failure of a provider in the gateway's own words: the message is safe for the client. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly status: number
  readonly code: string
  readonly retryAfter: string | undefined
  /** For the log and the metric. */
  readonly reason: FailureReason
  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly reason?: FailureReason; readonly retryAfter?: string } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfter = more.retryAfter
    this.reason = more.reason ?? 'failed'
  }
}

/** Status, headers and body of an error in the caller's wire format. */
export function toOpenAiError(error: unknown): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: OpenAiError
} {
  if (error instanceof ProviderFailure) {
    const headers = error.retryAfter === undefined ? {} : { 'retry-after': error.retryAfter }
    return { status: error.status, headers, body: body(error.status, error.code, error.message, null) }
  }
  const { status, headers, problem } = toAnswer(error)
  const [field] = problem.errors ?? []
  const message = field === undefined ? (problem.detail ?? problem.title) : `${field.pointer} ${field.detail}`
  const param = field?.pointer.slice(1).replaceAll('/', '.') ?? null
  return { status, headers, body: body(status, problem.code, message, param) }
}

function body(status: number, code: string, message: string, param: string | null): OpenAiError {
  return { error: { message, type: typeOf(status), param, code } }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}
