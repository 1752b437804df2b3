import { NAMESPACE_NOT_SERVED } from '#core/cluster/served-namespaces.ts'
import type { ErrorCode } from '#core/errors/core-errors.ts'
import { InvalidName } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'

/** RFC 9457 `application/problem+json` with the platform's extensions. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance?: string
  readonly code: string
  readonly traceId?: string
  readonly retryable: boolean
  readonly errors?: readonly FieldError[]
  readonly cluster?: ClusterResponse
}

/** Relayed parts of the cluster's Status. */
export interface ClusterResponse {
  readonly reason: string
  readonly message: string
  readonly details?: { readonly name?: string; readonly group?: string; readonly kind?: string }
  readonly code: number
  readonly auditId?: string
}

/** An error response. */
export interface ProblemResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly problem: Problem
}

/** Maps errors to responses; the only place that decides a status. Unknown errors become `internal_error` without details. */
export function toProblemResponse(error: unknown): ProblemResponse {
  if (error instanceof Fail) return answerOf(error)
  if (error instanceof InvalidName) return answerOf(fromInvalidName(error))
  if (error instanceof KubeError) return fromCluster(error)
  return answerOf(fromFramework(error) ?? new Fail('internal_error'))
}

/** Response for an unknown path, a hidden one and an unknown share: always the same bytes. */
function plainAnswer(code: 'not_found' | 'unauthenticated'): ProblemResponse {
  return answerOf(new Fail(code))
}

function answerOf(fail: Fail): ProblemResponse {
  const { status, title, retryable } = fail.definition
  const retryAfter = fail.retryAfter ?? (status === 503 || status === 429 ? 1 : undefined)
  return {
    status,
    headers: {
      ...(fail.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
      ...fail.headers,
    },
    problem: {
      type: `urn:mesh:error:${fail.code}`,
      title,
      status,
      detail: detailOf(fail, title),
      code: fail.code,
      retryable,
      ...(fail.errors.length === 0 ? {} : { errors: fail.errors.slice(0, MAX_PROBLEMS).map(boundedField) }),
    },
  }
}

// An error without its own detail is described by its first field, else by its meaning: a client shows `detail` alone.
function detailOf(fail: Fail, title: string): string {
  if (fail.message !== title && fail.message !== '') return bounded(fail.message, MAX_DETAIL)
  const [first] = fail.errors
  if (first === undefined) return title
  const field = first.pointer.replace(/^[/?:]/, '').replaceAll('/', '.')
  return bounded(`${field === '' ? 'The body' : field} ${first.detail}.`, MAX_DETAIL)
}

// F2: even with each character escaped, a response stays below 256 KiB.
const MAX_PROBLEMS = 20
const MAX_FIELD = 512
const MAX_DETAIL = 4_096
const MAX_MESSAGE = 8_192

function boundedField({ pointer, detail }: FieldError): FieldError {
  return { pointer: bounded(pointer, MAX_FIELD), detail: bounded(detail, MAX_FIELD) }
}

function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}...`
}

function fromInvalidName(error: InvalidName): Fail {
  const detail = error.message.replace(`${error.field}: `, '')
  return new Fail('invalid_name', error.message, { errors: [{ pointer: pointerOfName(error.field), detail }] })
}

function pointerOfName(field: string): string {
  return /^[:?/]/.test(field) ? field : `:${field}`
}

const clusterCodes: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_body',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'cursor_expired',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'too_many_requests',
  503: 'cluster_unavailable',
  504: 'cluster_timeout',
}

// The texts are already safe: KubeError rebuilds those of 400 and 422 and drops those of 5xx (M7, M9).
function fromCluster(error: KubeError): ProblemResponse {
  // No request was sent to the cluster.
  if (error.reason === NAMESPACE_NOT_SERVED) return answerOf(new Fail('namespace_not_served', error.message))
  const code = error.reason === 'AlreadyExists' ? 'already_exists' : (clusterCodes[error.status] ?? 'bad_gateway')
  // A bearer rejected by the cluster gets the same 401 as a missing one.
  if (code === 'unauthenticated') return plainAnswer('unauthenticated')
  const { retryAfterSeconds, causes = [] } = error.details
  const errors = causes.map(({ field, message }) => ({ pointer: fieldPointer(field), detail: message }))
  const answer = answerOf(
    new Fail(code, error.status >= 500 ? undefined : error.message, {
      errors,
      ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
    }),
  )
  if (error.status >= 500) return answer
  return { ...answer, problem: { ...answer.problem, cluster: relayed(error) } }
}

function relayed(error: KubeError): ClusterResponse {
  const { name, group, kind } = error.details
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(group === undefined ? {} : { group }),
    ...(kind === undefined ? {} : { kind }),
  }
  return {
    reason: error.reason,
    message: bounded(error.message, MAX_MESSAGE),
    ...(Object.keys(details).length === 0 ? {} : { details }),
    code: error.status,
    ...(error.auditId === undefined ? {} : { auditId: error.auditId }),
  }
}

/** Converts a field path of the API server (`spec.tools[0].name`) to an RFC 6901 pointer. */
function fieldPointer(field: string): string {
  const parts = field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  return parts
    .filter((part) => part !== '' && part !== '<nil>')
    .map((part) => `/${part}`)
    .join('')
}

const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_request',
  FST_ERR_BAD_URL: 'malformed_request',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid_name',
  FST_ERR_ASYNC_CONSTRAINT: 'malformed_request',
}

function fromFramework(error: unknown): Fail | undefined {
  const code = codeOf(error)
  const known = code === undefined ? undefined : frameworkCodes[code]
  return known === undefined ? undefined : new Fail(known)
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}
