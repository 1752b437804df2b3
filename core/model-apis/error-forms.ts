import { encodeFrame } from '../sse/frame.ts'

/** An error of a model call, as its caller reads it. */
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

/** Errors as the SDKs of OpenAI read them. */
export const openAiErrors: ErrorForm = {
  body: openAiBody,
  frame: (error) => encodeFrame({ data: JSON.stringify(openAiBody(error)) }),
}

/** Errors of the Responses API. Its SDKs read `error` in events too, other clients the fields beside it. */
export const responsesErrors: ErrorForm = {
  body: openAiBody,
  frame: (error) => {
    const { code, message, param } = error
    const data = { type: 'error', code, message, param, ...openAiBody(error) }
    return encodeFrame({ event: 'error', data: JSON.stringify(data) })
  },
}

/** Errors as the SDKs of Anthropic read them, with our code beside the type. */
export const anthropicErrors: ErrorForm = {
  body: anthropicBody,
  frame: (error) => encodeFrame({ event: 'error', data: JSON.stringify(anthropicBody(error)) }),
}

function openAiBody({ status, code, message, param }: CallError) {
  return { error: { message, type: openAiType(status), param, code } }
}

function anthropicBody({ status, code, message, param }: CallError) {
  const type = anthropicTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { type: 'error', error: { type, message, code, ...(param === null ? {} : { param }) } }
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
