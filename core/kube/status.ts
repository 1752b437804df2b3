import { asObject } from '#core/json/is-object.ts'
import type { DeclaredRules } from '#schemas/kinds/declared-rules.ts'
import { patternText } from '#schemas/values/pattern-text.ts'

/** One cause of a refusal: a field path and a reason, never the submitted value (M7). */
export interface StatusCause {
  readonly field: string
  readonly reason: string
  readonly message: string
}

/** Parts of a Kubernetes `Status.details` that may be relayed. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly retryAfterSeconds?: number
  readonly causes?: readonly StatusCause[]
}

/** A right that an account lacks, in RBAC terms, and as a rule of `access`. */
export interface MissingRight {
  readonly right: string
  readonly rule: string
}

/**
 * A failed call to the cluster: the API server's Status, a deadline (504) or an unreachable server (503). `message` is the cluster's for
 * 401, 403, 404, 405, 409, 410, 413, 415 and 429. It is rebuilt from fields and reasons for 400 and 422, which echo submitted values (M7),
 * and fixed for 5xx, which name internals (M9).
 */
export class KubeError extends Error {
  readonly status: number
  readonly reason: string
  readonly details: StatusDetails
  readonly retryable: boolean
  readonly auditId: string | undefined
  /** For a 403: the right that the call needs, and the rule that would grant it. Names no object. */
  missing: MissingRight | undefined
  constructor(
    status: number,
    reason: string,
    message: string,
    more: { readonly details?: StatusDetails; readonly auditId?: string | undefined } = {},
  ) {
    super(message)
    this.name = 'KubeError'
    this.status = status
    this.reason = reason
    this.details = more.details ?? {}
    this.retryable = status === 429 || status >= 500
    this.auditId = more.auditId
  }
}

/** Whether the error is a `KubeError` with that status. */
export function isStatus(error: unknown, status: number): error is KubeError {
  return error instanceof KubeError && error.status === status
}

/** Error of a response other than 2xx; the body may be anything. */
export function errorFromResponse(status: number, body: Buffer, asked: Asked = {}): KubeError {
  return errorFromStatus(status, readJson(body), asked)
}

/** Known properties of the request that failed. */
interface Asked {
  readonly auditId?: string | undefined
  readonly rules?: DeclaredRules | undefined
}

/** Error of a parsed Status (a response body, or an ERROR event of a watch). */
export function errorFromStatus(status: number, body: unknown, { auditId, rules }: Asked = {}): KubeError {
  // A redirect is an upstream fault: following it would forward the bearer.
  if (status < 400)
    return new KubeError(502, 'BadGateway', 'Unexpected response from the cluster API server.', { auditId })
  const fields = asObject(body)
  const reason = text(fields.reason) ?? defaultReason(status)
  if (status >= 500)
    return new KubeError(status, reason, `The cluster API server failed with status ${status}.`, {
      details: { ...retryAfter(asObject(fields.details)) },
      auditId,
    })
  const upstream = text(fields.message) ?? ''
  const details = readDetails(asObject(fields.details), rules, status === 400 ? decodingCauses(upstream) : [])
  const message = status === 400 || status === 422 ? rebuiltMessage(status, details) : upstream || defaultReason(status)
  return new KubeError(status, reason, message, { details, auditId })
}

/** Error after the deadline (K4), without upstream details. */
export function deadlineError(deadlineMs: number): KubeError {
  return new KubeError(504, 'Timeout', `The cluster API server did not respond within ${deadlineMs / 1000} s.`)
}

/** Error of a failed or broken connection, without upstream details. */
export function unreachableError(): KubeError {
  return new KubeError(503, 'ServiceUnavailable', 'The cluster API server is not reachable.')
}

/** Error of a call that was not sent, since the server has stopped responding and enough calls wait for it (K4). */
export function stalledError(): KubeError {
  const details = { retryAfterSeconds: 1 }
  return new KubeError(503, 'ServiceUnavailable', 'The cluster API server is not responding.', { details })
}

function readDetails(
  details: Record<string, unknown>,
  rules: DeclaredRules | undefined,
  extraCauses: readonly StatusCause[],
): StatusDetails {
  const listed = Array.isArray(details.causes) ? details.causes.map((cause) => readCause(asObject(cause), rules)) : []
  const causes = [...listed, ...extraCauses]
  return {
    ...optionalText('name', details.name),
    ...optionalText('group', details.group),
    ...optionalText('kind', details.kind),
    ...optionalText('uid', details.uid),
    ...retryAfter(details),
    ...(causes.length > 0 ? { causes } : {}),
  }
}

function readCause(cause: Record<string, unknown>, rules: DeclaredRules | undefined): StatusCause {
  return {
    field: text(cause.field) ?? '',
    reason: text(cause.reason) ?? '',
    message: withoutValue(text(cause.message) ?? '', rules),
  }
}

// `Invalid value: "<value>": <detail>`: apimachinery prints the value Go-quoted, bare (numbers) or as JSON, before the detail.
function withoutValue(message: string, rules: DeclaredRules | undefined): string {
  const prefix =
    /^(Invalid value|Unsupported value|Duplicate value|Not found|Too long|Too many|Forbidden|Required value)(?:: |$)/.exec(
      message,
    )
  if (prefix === null) return 'was refused'
  const [whole, kind = ''] = prefix
  const rest = message.slice(whole.length)
  const declared = declaredMessage(rest, rules)
  if (declared !== undefined) return `${kind}: ${declared}`
  // A message computed by a rule has any form, and may contain submitted values.
  if (rules?.computed === true) return kind
  if (kind === 'Forbidden' || kind === 'Required value') return rest === '' ? kind : `${kind}: ${rest}`
  const detail = detailAfterValue(rest)
  return detail === undefined ? kind : `${kind}: ${inWords(detail)}`
}

// The refusal of an object omits its value (`Invalid value: <message>`); that of another value contains it, in any form of JSON. Text before the
// message is dropped, such as the reason why a rule could not be evaluated: only messages declared by the kind are relayed.
function declaredMessage(rest: string, rules: DeclaredRules | undefined): string | undefined {
  for (const message of rules?.messages ?? []) if (rest === message || rest.endsWith(`: ${message}`)) return message
  return undefined
}

// `spec.limits.timeout in body should match '^...$'`
function inWords(detail: string): string {
  const pattern = / should match '(.*)'$/s.exec(detail)?.[1]
  return pattern === undefined ? detail : patternText(pattern)
}

function detailAfterValue(rest: string): string | undefined {
  const quoted = /^"(?:[^"\\]|\\.)*": /.exec(rest) ?? /^-?[0-9.]+: /.exec(rest)
  return quoted === null ? undefined : rest.slice(quoted[0].length)
}

// Strict decoding returns 400 without causes: `... strict decoding error: unknown field "spec.x", duplicate field "spec.y"`.
function decodingCauses(message: string): StatusCause[] {
  return [...message.matchAll(/(unknown|duplicate) field "([^"\\]{1,256})"/g)].map(([, what, field]) => ({
    field: field ?? '',
    reason: what === 'unknown' ? 'FieldValueUnknown' : 'FieldValueDuplicate',
    message: `${what} field`,
  }))
}

function rebuiltMessage(status: number, details: StatusDetails): string {
  const causes = (details.causes ?? []).map((cause) => `${cause.field || 'object'}: ${cause.message}`)
  if (causes.length > 0) return causes.join('; ')
  return status === 400 ? 'The cluster could not read the request.' : 'The cluster refused the object.'
}

function retryAfter(details: Record<string, unknown>): { retryAfterSeconds?: number } {
  return typeof details.retryAfterSeconds === 'number' ? { retryAfterSeconds: details.retryAfterSeconds } : {}
}

function optionalText<K extends string>(key: K, value: unknown): { readonly [P in K]?: string } {
  return typeof value === 'string' && value !== '' ? ({ [key]: value } as { readonly [P in K]?: string }) : {}
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // a proxy's HTML page, or nothing
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function defaultReason(status: number): string {
  return reasons[status] ?? (status >= 500 ? 'InternalError' : 'Unknown')
}
