import type { FieldError } from '#core/errors/domain-error.ts'
import { toProblemResponse } from '#core/http/problem/problem.ts'
import type { CallError } from '#core/model-apis/error-forms.ts'
import type { FailureReason } from './failure-reason.ts'

/** An error with a message of the gateway, which is safe for the client. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  /** Reason for the log and the metric. */
  readonly reason: FailureReason
  /** Status of the provider's response; undefined: it did not respond. */
  readonly upstream: number | undefined
  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly reason?: FailureReason
      readonly param?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly upstream?: number
    } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.param = more.param ?? null
    this.headers = more.headers ?? {}
    this.reason = more.reason ?? 'failed'
    this.upstream = more.upstream
  }
}

/** Status, code and message of any error, for the error object of the caller's API. */
export function callErrorOf(error: unknown): CallError & { readonly code: string } {
  if (error instanceof GatewayError) return error
  const { status, headers, problem } = toProblemResponse(error)
  const [field] = problem.errors ?? []
  const message = field === undefined ? (problem.detail ?? problem.title) : messageOf(field)
  return { status, headers, code: problem.code, message, param: field === undefined ? null : paramOf(field) }
}

function messageOf(field: FieldError): string {
  const text = `${paramOf(field) ?? 'The request body'} ${field.detail}`
  return text.endsWith('.') ? text : `${text}.`
}

// `/messages/0/content` is `messages[0].content`; a header or query parameter keeps its name.
function paramOf({ pointer }: FieldError): string | null {
  const path = pointer.replace(/^[/:?]/, '').replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
  return path === '' ? null : path.replaceAll('/', '.')
}
