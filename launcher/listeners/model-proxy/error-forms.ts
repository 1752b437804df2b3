import { encodeFrame } from '#core/sse/frame.ts'
import { Refusal, refusals } from '../../http/refusal.ts'
import { GatewayRefusal } from '../../model-calls/gateway-refusal.ts'

/** An error as its caller reads it. */
export interface CallError {
  readonly status: number
  readonly code: string | null
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** Error objects of one API. */
export interface ErrorForm {
  body(error: CallError): object
  /** An error event within a stream. */
  frame(error: CallError): Buffer
}

/** Status, code and message of a failed call. Any other error is internal. */
export function toCallError(error: unknown): CallError {
  if (error instanceof GatewayRefusal) return error
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error')
  const { code, message, headers } = refusal
  return { status: refusals[code].status, code, message, param: null, headers }
}

/** Errors as the SDKs of OpenAI read them. */
export const openAiErrors: ErrorForm = {
  body: ({ status, code, message, param }) => ({ error: { message, type: openAiType(status), param, code } }),
  frame: (error) => encodeFrame({ data: JSON.stringify(openAiErrors.body(error)) }),
}

/** Errors as the SDKs of Anthropic read them, with our code beside the type. */
export const anthropicErrors: ErrorForm = {
  body: ({ status, code, message }) => ({
    type: 'error',
    error: { type: anthropicTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message, code },
  }),
  frame: (error) => encodeFrame({ event: 'error', data: JSON.stringify(anthropicErrors.body(error)) }),
}

const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 402) return 'insufficient_quota'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}
