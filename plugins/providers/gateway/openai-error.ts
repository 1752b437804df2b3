import type { FieldError } from '#core/errors/domain-error.ts'
import { toProblemAnswer } from '#core/http/problem/problem.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import type { FailureReason } from './failure-reason.ts'

/** An error body of the OpenAI API. */
export interface OpenAiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** An error with a message of the gateway, which is safe for the client. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  /** For the log and the metric. */
  readonly reason: FailureReason
  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly reason?: FailureReason
      readonly param?: string
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.param = more.param ?? null
    this.headers = more.headers ?? {}
    this.reason = more.reason ?? 'failed'
  }
}

/** Status, headers and body of an error in the form that OpenAI's SDKs read. */
export function toOpenAiError(error: unknown): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: OpenAiError
} {
  if (error instanceof GatewayError) {
    const { status, headers, code, message, param } = error
    return { status, headers, body: body(status, code, message, param) }
  }
  const { status, headers, problem } = toProblemAnswer(error)
  const [field] = problem.errors ?? []
  const message = field === undefined ? (problem.detail ?? problem.title) : messageOf(field)
  return { status, headers, body: body(status, problem.code, message, field === undefined ? null : paramOf(field)) }
}

/** An error event within a stream. SDKs throw it to the reader of the stream. */
export function errorFrame(error: unknown): Buffer {
  return encodeFrame({ data: JSON.stringify(toOpenAiError(error).body) })
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
